from django.apps import AppConfig
from django.utils.translation import get_language, gettext, ngettext

from common import translation


class CommonConfig(AppConfig):
    name = "common"

    def ready(self) -> None:
        translation.use(gettext, ngettext, get_language)
