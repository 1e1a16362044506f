"""The pages of the application, a module for each area: to add one, write it and add it here."""

from fastapi import APIRouter

from singleout.web.pages import (
    assess,
    common,
    explore,
    person,
    plan,
    predict,
    predict_data,
    repository,
    repository_changes,
    repository_publish,
    start,
    treat,
    treat_files,
    treat_policy,
    treat_tree,
)

__all__ = ["PAGES"]

PAGES: tuple[APIRouter, ...] = (
    common.router,
    start.router,
    plan.router,
    assess.router,
    explore.router,
    treat.router,
    treat_tree.router,
    treat_policy.router,
    treat_files.router,
    predict.router,
    predict_data.router,
    person.router,
    repository.router,
    repository_publish.router,
    repository_changes.router,
)
