"""Sign-in links: whom they let in, by which button, how often, and what ends them."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from io import StringIO

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core import signing
from django.core.management import call_command
from django.test import Client, override_settings
from django.utils import timezone

from annotation.reading.pending_answer import KEY
from tests import builders
from tests.annotation.test_R01_overlap import environment
from tests.linked import fields, look, once_more, parts, press
from variorum import checks
from variorum.accounts import link_page, links
from variorum.management.commands import demo
from variorum.models import LinkKind, SignInLink

pytestmark = pytest.mark.django_db
WHO = "_auth_user_id"


@pytest.fixture
def ada(ada):
    ada.set_password("a lamp before dawn")
    ada.save()
    return ada


@pytest.fixture
def link(ada):
    return links.make(ada, LinkKind.SIGN_IN)


def who(browser):
    return int(browser.session.get(WHO, 0))


def is_ended(response):
    assert (response.status_code, "This link signs nobody in" in response.text) == (403, True)
    assert "Ask whoever sent it for a new one" in response.text
    assert WHO not in response.client.session
    return True


def test_a_link_opens_a_page_with_one_button_that_signs_in(client, ada, link):
    page = look(client, link)
    assert "Sign in as Ada</button>" in page.text
    assert who(client) == 0
    assert "no-store" in page["Cache-Control"]
    response = client.post(page.path, fields(page))
    assert (response["Location"], who(client)) == ("/", ada.pk)


def test_S07_the_address_that_is_asked_for_is_the_same_for_everybody(ada, ben):
    paths = [links.make(user, LinkKind.SIGN_IN) for user in (ada, ben)]
    assert {parts(path)[0] for path in paths} == {"/signin/"}
    assert len({parts(path)[1] for path in paths}) == 2


@pytest.mark.parametrize("method", ["get", "head", "options"])
def test_who_only_fetches_a_link_uses_nothing_up(client, link, method):
    for _ in range(3):
        getattr(client, method)("/signin/")
        look(Client(), link)
    assert SignInLink.objects.get().used is None
    assert press(client, link).status_code == 302


def test_a_link_works_once(client, ada, link):
    press(client, link)
    assert is_ended(look(Client(), link))
    assert is_ended(press(Client(), link))
    stranger = Client()
    page = look(stranger, link)
    assert is_ended(stranger.post(page.path, {"press": "of another page", "leaving": ""}))


def test_without_its_code_the_number_of_a_link_is_worth_nothing(as_user, ben, link):
    for browser in (Client(), as_user(ben)):
        for pressed in ("", "forged"):
            reply = browser.post(f"/signin/{SignInLink.objects.get().pk}/", {"press": pressed})
            assert reply["Location"] == browser.get("/signin/987654/")["Location"] == "/signin/"
    assert SignInLink.objects.get().used is None


def test_the_page_of_a_link_can_be_loaded_again(client, link):
    page = look(client, link)
    assert fields(client.get(page.path)).keys() == fields(page).keys() == {"press", "leaving"}


def test_of_two_pages_that_wait_one_button_wins(link):
    one, other = Client(), Client()
    pages = [look(browser, link) for browser in (one, other)]
    assert one.post(pages[0].path, fields(pages[0])).status_code == 302
    assert is_ended(other.post(pages[1].path, fields(pages[1])))


def test_of_all_who_press_at_once_the_table_lets_one_through(link):
    # Each found the link open before any of them used it.
    now, found = timezone.now(), [links.find(parts(link)[1], LinkKind.SIGN_IN) for _ in range(5)]
    assert [links.use(each, f"press {n}", now) for n, each in enumerate(found)] == [True] + [False] * 4


@pytest.mark.services
@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_of_all_who_press_at_once_in_earnest_one_is_signed_in(tmp_path, link):
    variables = environment(tmp_path) | {"VARIORUM_SECRET_KEY": settings.SECRET_KEY}
    done = subprocess.run(
        [sys.executable, "-m", "tests.variorum.link_race", parts(link)[1]],
        cwd=settings.BASE_DIR, env=variables, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "1"), done.stderr


def test_a_double_click_whose_first_reply_is_lost_signs_in(client, ada, link, monkeypatch):
    page = look(client, link)
    second, late = once_more(client), once_more(client)
    assert client.post(page.path, fields(page)).status_code == 302
    assert second.post(page.path, fields(page))["Location"] == "/"
    assert who(second) == ada.pk
    later = timezone.now() + timedelta(minutes=2)
    monkeypatch.setattr(links.timezone, "now", lambda: later)
    assert late.post(page.path, fields(page))["Location"] == "/signin/"
    assert who(late) == 0


def test_whoever_is_signed_in_by_it_already_is_led_home(client, ada, link):
    press(client, link)
    assert look(client, link).path == "/"
    assert who(client) == ada.pk


def test_neither_code_nor_button_is_taken_without_the_token_of_its_page(client, link):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/signin/", {"token": parts(link)[1]}).status_code == 403
    page = look(client, link)
    client.handler.enforce_csrf_checks = True
    assert client.post(page.path, fields(page)).status_code == 403
    assert SignInLink.objects.get().used is None


def test_a_link_however_it_is_pasted(client, link):
    code = parts(link)[1]
    for pasted in (code, link, f"https://example.org{link}", f" <https://example.org{link}>. ", f"{code}\n"):
        page = client.post("/signin/", {"token": pasted}, follow=True)
        assert "Sign in as Ada</button>" in page.text


def test_without_scripts_the_page_has_a_field_for_it(client):
    page = client.get("/signin/").text
    assert 'name="token" required' in page
    assert "Paste the whole link" in page


def test_nothing_of_the_code_the_name_or_the_session_is_in_the_table(db):
    user = builders.person("Ingrid")
    code = parts(links.make(user, LinkKind.SIGN_IN))[1]
    kept = str(SignInLink.objects.values().get())
    assert not [word for word in (code, user.get_session_auth_hash(), "ingrid", "Ingrid") if word in kept]


def test_a_new_password_ends_the_link(client, ada, link):
    ada.set_password("another lamp, another dawn")
    ada.save()
    assert is_ended(press(client, link))


def test_a_deactivated_account_ends_the_link(client, ada, link):
    ada.is_active = False
    ada.save()
    assert is_ended(press(client, link))


def test_a_session_ends_with_its_time(as_user, ada):
    browser = as_user(ada)
    assert browser.get("/").wsgi_request.user == ada
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert browser.get("/").wsgi_request.user.is_anonymous
    Session.objects.all().delete()
    assert browser.get("/").wsgi_request.user.is_anonymous


def test_a_week_ends_the_link(client, link, monkeypatch):
    page, real = look(client, link), timezone.now()
    monkeypatch.setattr(link_page.timezone, "now", lambda: real + timedelta(days=7))
    assert is_ended(look(client, link))
    assert is_ended(client.post(page.path, fields(page)))


def test_links_that_are_over_are_forgotten(ada, ben, link):
    SignInLink.objects.update(expires=timezone.now() - timedelta(seconds=1))
    links.make(ben, LinkKind.SIGN_IN)
    assert SignInLink.objects.get().user == ben


@pytest.mark.parametrize(
    "change", [lambda t: t[:-1], lambda t: "x" + t, lambda t: "x", lambda t: "", str.upper]
)
def test_a_changed_code_signs_nobody_in(client, link, change):
    assert is_ended(client.post("/signin/", {"token": change(parts(link)[1])}))
    assert is_ended(client.post("/signin/", {}))


def test_links_of_before_are_dead_whatever_a_log_has_of_them(client, ada):
    claim = {"user": ada.pk, "bound": links.bound_to(ada), "expires": int(timezone.now().timestamp()) + 999}
    old = signing.dumps(claim, salt="variorum.signin")
    assert is_ended(client.get(f"/signin/{old}/"))
    assert client.post(f"/signin/{old}/").status_code == 405
    assert is_ended(client.post("/signin/", {"token": old}))


def test_whoever_is_signed_in_as_somebody_else_is_asked(as_user, ada, ben):
    browser = as_user(ada)
    path = links.make(ben, LinkKind.SIGN_IN)
    page = look(browser, path)
    assert "Sign in as Ben instead?" in page.text
    assert "You are signed in as <strong>Ada</strong>" in page.text
    assert "Stay signed in as Ada" in page.text
    # What waits in the browser is treated as when she signs out: asked about, then removed.
    assert "data-signout" in page.text
    assert who(browser) == ada.pk
    before = browser.session.session_key
    response = browser.post(page.path, fields(page))
    assert who(browser) == ben.pk
    assert browser.session.session_key != before
    assert response["Clear-Site-Data"] == '"storage"'


def test_who_signed_in_in_another_tab_meanwhile_is_asked_as_well(client, ada, ben, link):
    page = look(client, link)
    client.force_login(ben)
    again = client.post(page.path, fields(page))
    assert "You are signed in as <strong>Ben</strong>" in again.text
    assert who(client) == ben.pk
    client.post(page.path, fields(again))
    assert who(client) == ada.pk


def test_what_waited_in_the_session_of_one_goes_to_no_other(as_user, ada, ben):
    browser = as_user(ada)
    session = browser.session
    session[KEY] = {"place": 1, "fields": {"note": "Hers."}, "seen": 0}
    session.save()
    press(browser, links.make(ben, LinkKind.SIGN_IN))
    assert KEY not in browser.session


def test_who_has_no_password_yet_is_asked_for_one_next(client, ben):
    assert press(client, links.make(ben, LinkKind.SIGN_IN))["Location"] == "/password/"


@pytest.fixture
def shown(ben):
    """A link of the demonstration."""
    return links.make(ben, LinkKind.DEMO)


def test_the_demonstrations_links_may_be_used_again_on_its_machine_and_say_so(ben, shown):
    with override_settings(DEMONSTRATION=True):
        for _ in range(3):
            browser = Client()
            assert "may be used again and again on this machine" in look(browser, shown).text
            assert press(browser, shown)["Location"] == "/"
            assert who(browser) == ben.pk


def test_elsewhere_the_demonstrations_links_are_refused(shown):
    assert is_ended(press(Client(), shown))
    with override_settings(DEMONSTRATION=True):
        for where in (
            {"REMOTE_ADDR": "192.0.2.1"},
            {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
            {"HTTP_X_REAL_IP": "127.0.0.1"},
            {"HTTP_VIA": "1.1 a"},
            {"REMOTE_ADDR": ""},
        ):
            assert is_ended(press(Client(**where), shown))


def test_a_deployed_site_is_warned_that_it_is_the_demonstration():
    assert checks.no_demonstration(None) == []
    with override_settings(DEMONSTRATION=True):
        assert [each.id for each in checks.no_demonstration(None)] == ["variorum.E001"]


@pytest.mark.parametrize(
    ("host", "kind", "said", "told"),
    [
        ("127.0.0.1", LinkKind.DEMO, "may be used again and again on this machine", "1"),
        ("::1", LinkKind.DEMO, "may be used again and again on this machine", "1"),
        ("localhost", LinkKind.DEMO, "may be used again and again on this machine", "1"),
        ("0.0.0.0", LinkKind.SIGN_IN, "each works once", "0"),
    ],
)
def test_make_demo_says_how_often_its_links_work(monkeypatch, host, kind, said, told):
    """`serve` is left out: what it starts is looked at in test_processes."""
    monkeypatch.setattr(demo.serve.Command, "handle", lambda self, **_: None)
    monkeypatch.setattr(demo.os, "environ", {})
    out = StringIO()
    command = demo.Command(stdout=out)
    command.handle(host=host)
    command.cast = demo.load.people_of_the_demo()
    command.welcome("http://127.0.0.1:8000")
    assert said in out.getvalue()
    assert out.getvalue().count("http://127.0.0.1:8000/signin/#") == 4
    assert set(SignInLink.objects.values_list("kind", flat=True)) == {kind}
    assert demo.os.environ["VARIORUM_DEMO"] == told


def test_enabling_prints_a_link_of_the_new_kind(client, ada):
    call_command("disable_person", "ada", stdout=StringIO())
    out = StringIO()
    call_command("enable_person", "ada", stdout=out, stderr=StringIO())
    assert press(client, out.getvalue().split()[-1])["Location"] == "/password/"
