"""Books, what critics quote from them, what staff decided about it, and the candidates computed from both."""

from retrieval.models.checkpoints import Checkpoint, kept_path
from retrieval.models.curation import Act, Comparison, Curation, Exclusion
from retrieval.models.deletions import DeletedKind, Deletion
from retrieval.models.encoding import EncodingJob
from retrieval.models.excerpts import Excerpt, Excerpts, Standing
from retrieval.models.jobs import ENDED, Candidate, CandidateJob, Job, Status, Worker
from retrieval.models.loading import LoadingJob, LoadingTask, SearchedPair
from retrieval.models.matching import MatchedExcerpt
from retrieval.models.texts import Book, Bounds, Source, Text
from retrieval.models.training import Split, TrainingBook, TrainingJob
from retrieval.models.words import WordKind, WordTable

__all__ = [
    "ENDED",
    "Act",
    "Book",
    "Bounds",
    "Candidate",
    "CandidateJob",
    "Checkpoint",
    "Comparison",
    "Curation",
    "DeletedKind",
    "Deletion",
    "EncodingJob",
    "Excerpt",
    "Excerpts",
    "Exclusion",
    "Job",
    "LoadingJob",
    "LoadingTask",
    "MatchedExcerpt",
    "SearchedPair",
    "Source",
    "Split",
    "Standing",
    "Status",
    "Text",
    "TrainingBook",
    "TrainingJob",
    "WordKind",
    "WordTable",
    "Worker",
    "kept_path",
]
