"""The risk of a questionnaire before anybody answers it, for each way to ask a question.

The idea is that of Koot (2012), appendix B, for every respondent instead of the luckiest one: not
only the set of somebody who is in the largest cohort each time, but the expected and the smallest
set, and the share of respondents who would be unique.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.core.choices import choose
from singleout.errors import BadChoice, did_you_mean
from singleout.io.yaml.file import Mistake, Origin
from singleout.io.yaml.schema import standard_schema
from singleout.predict.distribution.distribution import check_people
from singleout.predict.funnel.answers import FunnelMode, checked_population
from singleout.predict.funnel.funnel import Funnel
from singleout.predict.questionnaire.answer_model import (
    AnswerModel,
    answer_model,
    answered,
    option_of,
)
from singleout.predict.questionnaire.counted import CountFiles
from singleout.predict.questionnaire.file import QuestionnaireFile, read_file, read_mapping
from singleout.predict.questionnaire.joint_tables import JointTable, joint_tables
from singleout.predict.questionnaire.published import RecordReader
from singleout.predict.questionnaire.questions import DROP, Question, questions_of
from singleout.predict.questionnaire.risk import (
    CodingComparison,
    QuestionnaireRisk,
    compared_coding,
    question_rows,
)
from singleout.report.say import say

if TYPE_CHECKING:
    import os

    from singleout.predict.planning.plan import CollectionPlan
    from singleout.predict.planning.policy import Policy

__all__ = ["Questionnaire"]

_SAMPLE = "questionnaire.yaml"
_LARGE_SAMPLE = 0.01  # share of the population from which a note is due


@dataclass(frozen=True, eq=False)
class Questionnaire:
    """Questions, the ways to ask them, and how common their answers are.

    Made by `read`, `from_dict` or `sample`.

    Parameters
    ----------
    questions
        In the order of asking.
    tables
        How answers depend on each other.
    population
        How many people could answer; None if unknown.
    people
        How many of them are expected to answer; None if unknown.
    title
        What the questionnaire is called.
    notes
        What a reader should know, one sentence each.
    files
        The files that counts were read from.
    """

    questions: tuple[Question, ...]
    tables: tuple[JointTable, ...] = ()
    population: int | None = None
    people: int | None = None
    title: str = ""
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()

    # ---- ways to make one

    @classmethod
    def read(cls, path: str | Path, *, records: RecordReader | None = None) -> Questionnaire:
        """Read a questionnaire from a YAML file.

        Parameters
        ----------
        path
            The file: see `json_schema` for what it may contain, and `sample` for an example.
        records
            Reads the records of repositories that questions name: a function from what the file
            says of one to its cells, kl and power_sums, and notes.
        """
        return cls._made(*read_file(path), records)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Questionnaire:
        """Take a questionnaire from plain values, structured as in a file.

        Parameters
        ----------
        given
            What the file would hold.

        Examples
        --------
        >>> from singleout.predict import Questionnaire
        >>> sex = {"name": "sex", "shares": {"female": 0.51, "male": 0.49}}
        >>> asked = Questionnaire.from_dict({"population": 1000, "questions": [sex]})
        >>> round(asked.funnel({"sex": "male"}).size)
        490
        """
        return cls._made(*read_mapping(given))

    @classmethod
    def sample(cls) -> Questionnaire:
        """Return the questionnaire that comes with the package, made up but realistic."""
        with as_file(resources("singleout.demo_data") / _SAMPLE) as path:
            return cls.read(path)

    @classmethod
    def _made(
        cls, file: QuestionnaireFile, origin: Origin, records: RecordReader | None = None
    ) -> Questionnaire:
        try:
            if file.population is not None and (file.people or 0) > file.population:
                raise Mistake(
                    ("people",),
                    f"{file.people:,} people cannot answer out of a population of "
                    f"{file.population:,}.",
                )
            files = CountFiles(origin.folder)
            questions, notes = questions_of(file, files, records)
            tables = joint_tables(file, questions, files)
        except Mistake as mistake:
            raise origin.refusal(mistake) from None
        read = tuple(dict.fromkeys(files.read))
        return cls(questions, tables, file.population, file.people, file.title, notes, read)

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """Return the JSON schema of a questionnaire file."""
        schema: dict[str, Any] = standard_schema(QuestionnaireFile.model_json_schema())
        return schema

    # ---- questions

    @cached_property
    def _index(self) -> dict[str, int]:
        return {question.name: index for index, question in enumerate(self.questions)}

    def __getitem__(self, name: str) -> Question:
        if name not in self._index:
            advice = did_you_mean(name, self._index)
            raise BadChoice(
                f"There is no question {name!r}; there are: {', '.join(self._index)}.{advice}"
            )
        return self.questions[self._index[name]]

    def model(
        self, codings: Mapping[str, str | None] | None = None, *, independent: bool = False
    ) -> AnswerModel:
        """Return how people answer, with some questions asked in other codings, or dropped.

        Parameters
        ----------
        codings
            The coding of some questions; ``drop`` leaves one out.
        independent
            Do not use the joint tables.
        """
        return answer_model(self.questions, self.tables, codings, independent=independent)

    # ---- risk

    def funnel(
        self,
        answers: Mapping[str, str],
        *,
        codings: Mapping[str, str | None] | None = None,
        mode: str | None = None,
        population: int | None = None,
    ) -> Funnel:
        """Follow how few people are left after each of some answers.

        Parameters
        ----------
        answers
            The option that is chosen for each question, in the order of answering.
        codings
            The coding of some questions. If not given, the one that is asked, or the first that
            has the answer.
        mode
            ``joint``: by the joint tables; ``independent``: without them; ``bounds``: only what is
            certain. If not given, by the tables if there are any.
        population
            How many people could answer; as the questionnaire says if not given.

        Examples
        --------
        >>> from singleout.predict import Questionnaire
        >>> asked = Questionnaire.sample()
        >>> [step.question for step in asked.funnel({"sex": "female", "age": "1985"}).steps]
        ['sex', 'age']
        """
        if not answers:
            raise BadChoice("No answers were given; give one at least, as {'sex': 'female'}.")
        chosen = self._mode(mode)
        asked = self._codings_of(answers) | dict(codings or {})
        model = self.model(asked, independent=chosen is FunnelMode.INDEPENDENT)
        indices = [
            option_of(self[name], self._index[name], model, self[name].written(str(option)))
            for name, option in answers.items()
        ]
        return answered(model, indices, self._start(population), chosen, self.notes)

    def path(
        self,
        which: str = "rarest",
        *,
        codings: Mapping[str, str | None] | None = None,
        mode: str | None = None,
        population: int | None = None,
    ) -> Funnel:
        """Follow the answers of the rarest combination that somebody gives, or the most common one.

        Parameters
        ----------
        which
            ``rarest``: the worst case; ``commonest``: at best, as in appendix B.
        codings, mode, population
            As in `funnel`.
        """
        if which not in ("rarest", "commonest"):
            raise BadChoice(f"{which!r} is not a path; choose rarest or commonest.")
        chosen = self._mode(mode)
        model = self.model(codings, independent=chosen is FunnelMode.INDEPENDENT)
        answers = list(model.extreme(rarest=which == "rarest").items())
        if not answers:
            raise BadChoice("Every question is dropped; ask one at least.")
        return answered(model, answers, self._start(population), chosen, self.notes)

    def risk(
        self,
        *,
        codings: Mapping[str, str | None] | None = None,
        people: int | None = None,
        population: int | None = None,
    ) -> QuestionnaireRisk:
        """Predict what the answers give away about a respondent: expected, at worst, at best.

        Parameters
        ----------
        codings
            The coding of some questions; ``drop`` leaves one out.
        people
            How many answer; as the questionnaire says if not given.
        population
            How many could answer; as the questionnaire says if not given.

        Examples
        --------
        >>> from singleout.predict import Questionnaire
        >>> risk = Questionnaire.sample().risk(codings={"age": "age band"})
        >>> risk.rows[0].coding, risk.rows[0].options
        ('age band', 6)
        """
        start, answering, notes = self._numbers(people, population)
        model = self.model(codings)
        whole = model.distribution(model.asked)
        return QuestionnaireRisk(
            start,
            answering,
            question_rows(model, start, answering),
            whole,
            (*self.notes, *whole.notes, *notes, *self._dependence()),
            model.warnings,
        )

    def compare(
        self,
        question: str | None = None,
        *,
        codings: Mapping[str, str | None] | None = None,
        people: int | None = None,
        population: int | None = None,
    ) -> CodingComparison:
        """Compare the ways to ask a question, all others being asked as they are.

        Parameters
        ----------
        question
            Its name; if not given, every question.
        codings
            The coding of the other questions; as the questionnaire says if not given.
        people, population
            As in `risk`.

        Examples
        --------
        >>> from singleout.predict import Questionnaire
        >>> comparison = Questionnaire.sample().compare("age")
        >>> [row.coding for row in comparison.rows]
        ['year of birth', 'age band', 'drop']
        """
        start, answering, notes = self._numbers(people, population)
        asked = [self[question]] if question is not None else list(self.questions)
        now = self.model(codings)
        rows, warnings = [], dict.fromkeys(now.warnings)
        for one in asked:
            index = self._index[one.name]
            leaving_out = [] if one.never_drop else [DROP]
            for coding in [*(c.name for c in one.codings), *leaving_out]:
                model = self.model({**(codings or {}), one.name: coding})
                warnings.update(dict.fromkeys(model.warnings))
                rows.append(
                    compared_coding(
                        model,
                        index,
                        coding,
                        start,
                        answering,
                        asked=model.codings[index] is now.codings[index],
                    )
                )
        notes = (*self.notes, *notes, *self._dependence())
        return CodingComparison(start, answering, tuple(rows), notes, tuple(warnings))

    def plan(
        self,
        policy: Policy | Mapping[str, Any],
        *,
        people: int | None = None,
        prefer: str = "balance",
        weights: Mapping[str, float] | None = None,
        never_drop: Collection[str] = (),
        evaluations: int = 5000,
    ) -> CollectionPlan:
        """Find the most detailed way to ask that keeps a policy; see `plan_collection`.

        Parameters
        ----------
        policy
            What must hold, such as ``{"unique": 0.05}``.
        people
            How many answer; as the questionnaire says if not given.
        prefer, weights, evaluations
            As in `plan_collection`.
        never_drop
            Questions to ask in any case, beside those of which the questionnaire says so.

        Examples
        --------
        >>> from singleout.predict import Questionnaire
        >>> plan = Questionnaire.sample().plan({"unique": 0.05})
        >>> plan.codings["age"], plan.unique <= 0.05
        ('age band', True)
        """
        from singleout.predict.planning.planning import plan_questionnaire

        _, answering, notes = self._numbers(people, self.population or people or self.people)
        return plan_questionnaire(
            self,
            answering,
            policy,
            prefer=prefer,
            weights=weights,
            never_drop=never_drop,
            notes=(*self.notes, *notes),
            evaluations=evaluations,
        )

    def to_html(
        self,
        path: str | os.PathLike[str],
        *,
        codings: Mapping[str, str | None] | None = None,
        people: int | None = None,
        population: int | None = None,
    ) -> Path:
        """Write a report of what the questionnaire gives away, and of other ways to ask.

        Parameters
        ----------
        path
            The file, whose name ends in ``.html``.
        codings, people, population
            As in `risk`.
        """
        from singleout.predict.funnel.page import questionnaire_page
        from singleout.report.files import HTML, checked_path, write_text
        from singleout.report.page import page

        file = checked_path(path, HTML)
        how: dict[str, Any] = {"codings": codings, "population": population}
        risk, ways = self.risk(people=people, **how), self.compare(people=people, **how)
        content = questionnaire_page(risk, self.path(**how), ways, source=self.title)
        return write_text(file, page(content))

    # ---- inside

    def _codings_of(self, answers: Mapping[str, str]) -> dict[str, str | None]:
        """Return the codings that have the answers, where the one that is asked does not."""
        codings: dict[str, str | None] = {}
        for name, option in answers.items():
            question = self[name]
            written = question.written(str(option))
            fitting = [coding for coding in question.codings if written in coding.options]
            if fitting and question.coding() not in fitting:
                codings[name] = fitting[0].name
        return codings

    def _dependence(self) -> tuple[str, ...]:
        if self.tables:
            return (say("predict.questionnaire.dependent"),)
        return (say("predict.questionnaire.independent"),)

    def _mode(self, mode: str | None) -> FunnelMode:
        if mode is None:
            return FunnelMode.JOINT if self.tables else FunnelMode.INDEPENDENT
        chosen = choose(FunnelMode, mode, "mode")
        if chosen is FunnelMode.JOINT and not self.tables:
            raise BadChoice(
                "mode='joint' needs joint tables, and the questionnaire has none; add them under "
                "joint:, or choose independent or bounds."
            )
        return chosen

    def _numbers(
        self, people: int | None, population: int | None
    ) -> tuple[int, int, tuple[str, ...]]:
        """Return the population, how many of it answer, and notes on these numbers."""
        start = self._start(population)
        answering = people if people is not None else self.people
        if answering is None:
            return start, start, (say("predict.questionnaire.all_answer"),)
        answering = check_people(answering, least=1)
        if answering > start:
            raise BadChoice(
                f"{answering:,} people cannot answer out of a population of {start:,}; give fewer "
                "people or a larger population."
            )
        if answering <= _LARGE_SAMPLE * start:
            return start, answering, ()
        note = say("predict.questionnaire.some_answer", people=answering, population=start)
        return start, answering, (note,)

    def _start(self, population: int | None) -> int:
        start = self.population if population is None else population
        if start is None:
            raise BadChoice(
                "The questionnaire does not say how many people could answer; add population: to "
                "it, or give population=."
            )
        return checked_population(start)
