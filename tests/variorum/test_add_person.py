"""manage.py add_person: an account, a role and a link, and no password."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from tests.linked import press

pytestmark = pytest.mark.django_db


def add(*arguments):
    out, err = StringIO(), StringIO()
    call_command("add_person", *arguments, stdout=out, stderr=err)
    assert err.getvalue() == "Put the address of the site in front.\n"
    return out.getvalue().splitlines()[-1]


@pytest.mark.parametrize(
    ("role", "staff", "may_build"),
    [("annotator", False, False), ("researcher", False, True), ("staff", True, False)],
)
def test_the_link_signs_in_and_the_role_is_given(client, role, staff, may_build):
    # Nobody has a password on the first day: it is chosen next.
    assert press(client, add("dora", "--role", role))["Location"] == "/password/"
    user = User.objects.get(pk=client.session["_auth_user_id"])
    assert (user.is_staff, user.has_perm("annotation.add_study")) == (staff, may_build)
    assert (user.first_name, user.has_usable_password(), user.is_superuser) == ("Dora", False, False)


def test_twice_is_one_account_with_both_roles():
    add("dora", "--role", "researcher")
    add("dora", "--role", "staff")
    user = User.objects.get()
    assert user.is_staff
    assert user.has_perm("annotation.add_study")


def test_without_a_role_somebody_known_gets_a_new_link_and_nothing_else(client):
    add("dora", "--role", "researcher")
    out = StringIO()
    call_command("add_person", "dora", stdout=out)
    assert out.getvalue().startswith("dora stays as before. Sign in once, during 7 days, at:")
    call_command("add_person", "dorra", stdout=out)
    assert "dorra is annotator." in out.getvalue()


def test_who_forgot_a_password_gets_a_link_of_the_other_kind():
    add("dora")
    new = "another lamp, another dawn"
    for _ in range(2):
        link = add("dora", "--new-password")
        assert link.startswith("/password/new/#")
        assert press(Client(), link, new_password1=new, new_password2=new)["Location"] == "/"
    assert User.objects.get().check_password(new)


@pytest.mark.parametrize(
    "arguments",
    [
        ("two words",),
        ("dora", "--days", "0"),
        ("dora", "--days", "8"),
        ("dora", "--days", "2", "--new-password"),
    ],
)
def test_bad_input_makes_nobody(arguments):
    with pytest.raises(CommandError, match=r"username|--days"):
        add(*arguments)
    assert not User.objects.exists()
