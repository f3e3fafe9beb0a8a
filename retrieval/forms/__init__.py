"""The forms of the pages: what the commands take, with each refusal beside its field."""

from retrieval.forms.curation import (
    BordersForm,
    CoverForm,
    ExcludeForm,
    ManyForm,
    PartsForm,
    ReasonForm,
    TakeForm,
)
from retrieval.forms.imports import ImportBookForm, ImportRelicForm, ImportSourceForm
from retrieval.forms.jobs import FindExcerptsForm, FindManyForm, GenerateForm
from retrieval.forms.search import SearchForm
from retrieval.forms.training import TrainForm

__all__ = [
    "BordersForm",
    "CoverForm",
    "ExcludeForm",
    "FindExcerptsForm",
    "FindManyForm",
    "GenerateForm",
    "ImportBookForm",
    "ImportRelicForm",
    "ImportSourceForm",
    "ManyForm",
    "PartsForm",
    "ReasonForm",
    "SearchForm",
    "TakeForm",
    "TrainForm",
]
