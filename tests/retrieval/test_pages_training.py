"""Trainings on pages: plan, follow, read the losses, cancel, retry; a toy is always called one."""

import re

import pytest
from django.urls import reverse

from retrieval.engine.training.recipe import Recipe
from retrieval.jobs import queue, workers
from retrieval.models import Checkpoint, Status, TrainingBook, TrainingJob
from retrieval.training import curve, wording
from retrieval.training import plan as training_plan
from retrieval.training.plan import Plan
from tests import builders

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
EPOCHS = [
    {"number": 1, "loss": 3.0, "validation": 3.5},
    {"number": 2, "loss": 2.0, "validation": 2.5},
    {"number": 3, "loss": 1.0, "validation": 3.0},
]


@pytest.fixture
def staff(as_user, stan):
    return as_user(stan)


@pytest.fixture
def books(db):
    made = [builders.novel(slug) for slug in ("boats", "lamps", "ships")]
    for book in made[:2]:
        critic = builders.source(f"on-{book.slug}")
        for first in (3, 7, 12):
            builders.excerpt(book, critic, first)
    return made


@pytest.fixture
def job(books):
    return training_plan.submit(Plan("tiny", ("boats",), ("lamps",), recipe=Recipe(epochs=5)))


def page(browser, job):
    return browser.get(job.get_absolute_url()).content.decode()


def poll(browser, job, seen=0, **headers):
    url = reverse("retrieval:training_progress", args=[job.pk])
    return browser.get(f"{url}?seen={seen}", headers={**HTMX, **headers})


class TestLaunch:
    URL = "/training/new/"

    def asked(self, browser, **changes):
        """What a browser sends of the form as it stands, with these changes."""
        form = browser.get(self.URL).context["form"]
        fields = {name: form[name].value() for name in form.fields}
        sent = {name: value for name, value in fields.items() if value is not None and value is not False}
        return {
            **sent, "name": "tiny", "book-boats": "train", "book-lamps": "validate", **changes,
        }  # fmt: skip

    def test_as_the_paper_has_it_but_for_what_random_weights_need(self, staff, books, stan):
        response = staff.post(self.URL, self.asked(staff))
        job = TrainingJob.objects.get()
        assert response["Location"] == job.get_absolute_url()
        settings, rates = training_plan.encoder_settings("", {})
        assert training_plan.plan_of(job) == Plan(
            "tiny", ("boats",), ("lamps",), settings=settings, recipe=Recipe(**rates)
        )
        assert (job.created_by, job.toy, rates) == (stan, True, {"rate": 1e-3, "scale": 20.0})

    def test_every_switch_of_the_recipe_has_its_field_and_its_words(self, staff, books):
        form = staff.get(self.URL).context["form"]
        shown = {field.name for field in (*form.often(), *form.seldom())}
        assert shown == set(wording.SWITCHES) - {"hard_negatives"}
        assert set(Recipe.__dataclass_fields__) - {"hard_negatives"} < shown
        assert all(form[name].help_text for name in shown)

    def test_what_was_changed_is_frozen(self, staff, books):
        negatives = builders.finished_job(books[0], list(books[0].excerpts.all()))
        changes = {
            "book-ships": "test", "epochs": "3", "rate": "0.01", "contexts": "4/4, 1/0", "cloze": "7",
            "mask_overlaps": "on", "similarity": "dot", "context_tokens": "64",
            "negatives": [str(negatives.pk)],
        }  # fmt: skip
        staff.post(self.URL, self.asked(staff, **changes))
        plan = training_plan.plan_of(TrainingJob.objects.get())
        assert (plan.test, plan.contexts, plan.cloze) == (("ships",), ((4, 4), (1, 0)), 7)
        assert (plan.recipe.epochs, plan.recipe.rate, plan.recipe.mask_overlaps) == (3, 0.01, True)
        assert (plan.settings.similarity, plan.settings.context_tokens, plan.recipe.scale) == ("dot", 64, 1.0)
        assert (plan.negatives, plan.recipe.hard_negatives) == ((negatives.pk,), True)

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"name": "a b"}, "name"),
            ({"epochs": "0"}, "epochs"),
            ({"rate": "nan"}, "rate"),
            ({"contexts": "9/9"}, "contexts"),
            ({"contexts": "4"}, "contexts"),
            ({"book-boats": "both"}, "book-boats"),
            ({"context_tokens": "9999"}, "context_tokens"),
            ({"start": "unknown"}, "start"),
            ({"mixing": "stirred"}, "mixing"),
        ],
    )
    def test_bad_input_is_said_beside_its_field(self, staff, books, changes, field):
        response = staff.post(self.URL, self.asked(staff, **changes))
        assert response.status_code == 422
        assert list(response.context["form"].errors) == [field]
        assert f'href="#id_{field}"' in response.content.decode()
        assert not TrainingJob.objects.exists()

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"book-lamps": ""}, "Choose at least one book to validate with."),
            ({"book-boats": ""}, "Choose at least one book to learn from."),
            ({"book-ships": "test"}, "has no excerpt to test on"),
            ({"quotations": ""}, "there must be sentences of the books’ own to learn"),
        ],
    )
    def test_what_is_missing_is_said_above_the_form(self, staff, books, changes, says):
        response = staff.post(self.URL, self.asked(staff, **changes))
        assert response.status_code == 422
        assert says in response.context["form"].non_field_errors()[0]
        assert not TrainingJob.objects.exists()

    def test_all_that_is_missing_is_said_at_once(self, staff, books):
        response = staff.post(self.URL, self.asked(staff, **{"book-boats": "", "book-lamps": ""}))
        assert response.context["form"].non_field_errors() == [
            "Choose at least one book to learn from.",
            "Choose at least one book to validate with.",
        ]
        assert '<details class="more">' in response.text
        wrong = staff.post(self.URL, self.asked(staff, warmup="-1"))
        assert '<details class="more" open>' in wrong.text

    def test_too_few_books_are_said_before_anything_is_asked(self, staff):
        assert "There are 0 books. Two are needed" in staff.get(self.URL).content.decode()
        builders.book("one")
        builders.book("two")
        assert "0 books have excerpts" in staff.get(self.URL).content.decode()

    def test_training_without_a_gpu_says_what_it_costs(self, staff, books, settings):
        assert "No GPU is configured" in staff.get(self.URL).content.decode()
        settings.DEVICE = "cuda"
        assert "No GPU is configured" not in staff.get(self.URL).content.decode()


class TestList:
    def test_trainings_and_checkpoints_a_toy_called_one(self, staff, books):
        builders.finished_training(books[0], "small")
        builders.finished_training(books[1], "real", toy=False)
        text = staff.get("/training/").content.decode()
        assert re.findall(r">(\w+)</a>( \(toy model\))?</th>", text) == [
            ("real", ""),
            ("small", " (toy model)"),
        ]
        assert re.findall(r'<th scope="row">(\w+(?: \(toy model\))?)</th>', text) == [
            "real",
            "small (toy model)",
        ]
        assert "9 steps in 40 s" in text

    def test_seldom_asks_and_reads_no_book(self, staff, books, django_assert_max_num_queries):
        for number in range(5):
            builders.finished_training(books[number % 3], f"t{number}")
        with django_assert_max_num_queries(8) as asked:
            staff.get("/training/")
        assert not any('"retrieval_book"."text"' in each["sql"] for each in asked.captured_queries)


class TestFollow:
    def begun(self, job, **columns):
        claimed = queue.claim(job.pk, "w", TrainingJob)
        counts = {
            "device": "cpu", "epochs": len(columns.get("curve", [])), "step_pairs": 3,
            "pairs_a_second": 12.34, "tokens_a_second": 4321.0, "seconds_left": 61.0,
        }  # fmt: skip
        queue.renew_lease(claimed, 2, "Epoch 3 of 5, step 1 of 1", counts, total=5, **columns)
        return claimed

    def test_steps_rates_and_time_left(self, staff, job):
        workers.report("w", ["cpu"])
        assert "not begun" in page(staff, job)
        TrainingJob.objects.update(status=Status.RUNNING)
        assert "getting ready" in page(staff, job)
        TrainingJob.objects.update(status=Status.QUEUED)
        self.begun(job)
        text = page(staff, job)
        assert "2 of 5 steps · 12 quotations and 4,321 tokens a second · about 61 s left" in text
        assert "Epoch 3 of 5, step 1 of 1 · try 1 · needs no GPU · on the CPU" in text
        assert "The losses appear here when the first epoch has ended." in text

    def test_304_until_the_row_changes_and_the_losses_come_once(self, staff, job):
        workers.report("w", ["cpu"])
        claimed = self.begun(job, curve=EPOCHS[:1])
        first = poll(staff, job, seen=0)
        assert 'id="curve" hx-swap-oob' in first.content.decode()
        assert "?seen=1" in first.content.decode()
        same = poll(staff, job, seen=1)
        assert 'id="curve"' not in same.content.decode()
        assert same["Cache-Control"] == "private, no-cache"
        again = poll(staff, job, seen=1, **{"If-None-Match": same["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        queue.renew_lease(claimed, 3, "Validating")
        assert "Validating" in poll(staff, job, seen=1, **{"If-None-Match": same["ETag"]}).content.decode()

    def test_nobody_there_is_said_with_what_to_do(self, staff, job):
        text = page(staff, job)
        assert "No worker has been seen yet" in text
        assert "celery -A variorum worker -P solo -Q cpu" in text
        assert "No GPU is configured" in text

    def test_the_last_answer_is_the_whole_page_and_polls_no_more(self, staff, job):
        assert "hx-trigger" in page(staff, job)
        queue.finish(self.begun(job, curve=EPOCHS))
        response = poll(staff, job)
        text = response.content.decode()
        assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#job", "innerHTML")
        assert "hx-trigger" not in text
        assert f"Training {job.pk} has ended: done" in text

    def test_without_scripts_the_address_leads_to_the_page(self, staff, job):
        response = staff.get(reverse("retrieval:training_progress", args=[job.pk]))
        assert response["Location"] == job.get_absolute_url()

    def test_seldom_asks(self, staff, books, job, django_assert_max_num_queries):
        done = builders.finished_training(books[0])
        with django_assert_max_num_queries(8):
            poll(staff, job)
        with django_assert_max_num_queries(10):
            page(staff, done)


class TestPage:
    def test_how_it_ended_and_which_epoch_was_kept(self, staff, books):
        text = page(staff, builders.finished_training(books[0]))
        assert (
            "Stopped early, after epoch 3 of at most 10: the validation loss had not fallen for 2 epochs. "
            "The checkpoint is epoch 2, whose validation loss is lowest."
        ) in text
        assert "Guessing among the 4 quotations of a step has a loss of 1.39." in text
        assert 'value="30"' in text

    def test_a_toy_is_called_one(self, staff, books):
        assert "toy model" in page(staff, builders.finished_training(books[0]))
        real = page(staff, builders.finished_training(books[1], "real", toy=False))
        # The page's tokens are random letters, in which it may stand.
        assert "toy" not in re.sub(r"\w{64}", "", real).lower()

    def test_its_results_on_the_books_to_test_on(self, staff, books):
        job = builders.finished_training(books[0])
        tested = {"loss": 1.5, "first": 3, "pairs": 12, "chance": 0.25}
        Checkpoint.objects.update(card={**job.made.card, "test": tested})
        assert "3 of 12 contexts put their own quotation first in its step (25.0%; chance 25.0%)" in page(
            staff, job
        )

    def test_the_card_names_books_with_their_digests_and_every_switch(self, staff, books):
        text = page(staff, builders.finished_training(books[0]))
        for words in (books[0].sha256[:12], "c" * 64, "random weights", "Learning rate", "4/4", "1e-05"):
            assert words in text

    def test_it_names_the_books_whose_quotations_it_can_be_tried_on(self, staff, books):
        job = builders.finished_training(books[0])
        for book in books[1:]:
            TrainingBook.objects.create(job=job, book=book, split="validate")
        offered = re.findall(r"/books/(\w+)/generate/", page(staff, job))
        assert offered == ["lamps"]
        TrainingJob.objects.update(plan={**job.plan, "quotations": False})
        assert re.findall(r"/books/(\w+)/generate/", page(staff, job)) == ["boats", "lamps"]

    def test_a_researcher_is_led_to_no_page_that_only_staff_have(self, as_user, dora, staff, books):
        job = builders.finished_training(books[0])
        TrainingJob.objects.update(plan={**job.plan, "quotations": False})
        there, shown = page(staff, job), page(as_user(dora), job)
        assert reverse("retrieval:generate", args=["boats"]) in there
        assert "/generate/" not in shown
        assert "Staff can launch a job" in shown
        assert f'<a href="{books[0].get_absolute_url()}"><cite>' in shown

    def test_failed_it_says_why_and_offers_another_try(self, staff, job):
        queue.fail(queue.claim(job.pk, "w", TrainingJob), "The loss is <nan>.", final=True)
        text = page(staff, job)
        assert "The loss is &lt;nan&gt;." in text
        assert reverse("retrieval:training_retry", args=[job.pk]) in text

    def test_cancel_then_retry(self, staff, job):
        def act(name):
            return staff.post(reverse(f"retrieval:{name}", args=[job.pk]), follow=True).content.decode()

        assert "is cancelled. Its epochs are kept" in act("training_cancel")
        assert TrainingJob.objects.get().status == Status.CANCELLED
        assert "had ended before: cancelled" in act("training_cancel")
        assert "waits for a worker again" in act("training_retry")
        assert TrainingJob.objects.get().status == Status.QUEUED
        assert "cannot be retried: waiting" in act("training_retry")

    def test_a_researcher_reads_and_changes_nothing(self, as_user, dora, job):
        browser = as_user(dora)
        assert "Cancel the training" not in page(browser, job)
        assert browser.get("/training/new/").status_code == 404


class TestCurve:
    def test_the_picture_is_the_numbers(self):
        chart = curve.losses(EPOCHS).chart
        training, validation = chart.curves
        assert training.points == "0.00,20.00 50.00,60.00 100.00,100.00"
        assert validation.points == "0.00,0.00 50.00,40.00 100.00,20.00"
        assert [level.label for level in chart.levels] == ["3.50", "2.25", "1.00"]
        assert validation.dots[0] == ("8.00%", f"{chart.frame.top:.1f}")
        assert training.dots[2] == ("96.00%", f"{chart.frame.bottom:.1f}")
        assert chart.upright == (*validation.dots[1], f"{chart.frame.bottom}")
        assert "it is lowest after epoch 2" in chart.chart.described
        assert [row.cells[3].words for row in curve.losses(EPOCHS).table.rows] == ["", "lowest", ""]

    def test_one_epoch_stands_in_the_middle_and_none_is_no_picture(self):
        assert curve.losses([]) is None
        only = curve.losses([{"number": 1, "loss": 2.0, "validation": 2.0}]).chart
        assert only.curves[0].dots == only.curves[1].dots == (("52.00%", only.levels[1].at),)
        assert [level.label for level in only.levels] == ["2.25", "2.00", "1.75"]
        assert [tick.label for tick in only.ticks] == ["1"]

    def test_of_a_thousand_epochs_a_dozen_are_named(self):
        many = [{"number": n, "loss": 1 / n, "validation": 1.0} for n in range(1, 1001)]
        assert len(curve.losses(many).chart.ticks) == 12


def test_a_job_says_of_a_model_that_it_learned_the_book_s_quotations(staff, books):
    """What it ranks then it knows by heart: its numbers are no result."""
    trained = builders.finished_training(books[0])
    for book, says in ((books[0], True), (books[1], False)):
        job = builders.finished_job(book, list(book.excerpts.all()))
        job.parameters |= {"checkpoint": "trained"}
        job.checkpoint = trained.made.sha256
        job.save()
        assert ("trained on this book’s quotations" in staff.get(job.get_absolute_url()).text) is says
        assert ("trained on this book’s quotations" in staff.get(f"/jobs/{job.pk}/ranking/").text) is says
        Checkpoint.objects.update(card={**trained.made.card, "quotations": False})
        assert "trained on this book’s" not in staff.get(job.get_absolute_url()).text
        Checkpoint.objects.update(card=trained.made.card)
