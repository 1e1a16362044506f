"""The pages of the application, a module for each area: to add one, write it and add it here."""

from fastapi import APIRouter

from singleout.web.pages import assess, common, person, predict, predict_data, start

__all__ = ["PAGES"]

PAGES: tuple[APIRouter, ...] = (
    common.router,
    start.router,
    assess.router,
    predict.router,
    predict_data.router,
    person.router,
)
