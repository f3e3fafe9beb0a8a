"""All of Variorum's settings. What may vary comes from the environment, read in `env.py`."""

from __future__ import annotations

from pathlib import Path

from csp.constants import NONE, SELF

from variorum import __version__, data_directory, env, secret
from variorum.outside import logs, mail

# Every process of the site loads this first, and makes no file before.
data_directory.umask()

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("VARIORUM_DATA_DIR", str(BASE_DIR / "var"))).resolve()
REDIS_URL = env.redis_url()
EMBEDDED = not REDIS_URL
DEVICE = env.device()

VERSION = __version__
DEBUG = env.flag("VARIORUM_DEBUG")
DEMONSTRATION = env.flag("VARIORUM_DEMO")
SECRET_KEY = secret.key(DATA_DIR, embedded=EMBEDDED)
# How a key of this installation is kept that is made at its first use, and who signs bundles with theirs.
KEPT_SECRET = secret.generated
SIGNER = env.text("VARIORUM_SIGNER")
ALLOWED_HOSTS = env.names("VARIORUM_HOSTS", "localhost,127.0.0.1,[::1]")

INSTALLED_APPS = [
    "variorum",
    "evaluation",
    "annotation",
    "retrieval",
    "retrieval.corpora",
    "machines",
    "common",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "django_filters",
    "csp",
]

FORM_RENDERER = "variorum.forms.Renderer"

MIDDLEWARE = [
    "variorum.outside.probes.answer_probes",
    "variorum.outside.requests.observe",
    "variorum.api.errors.json_errors",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "variorum.middleware.refuse_too_large",
    "variorum.middleware.refuse_null",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "variorum.middleware.Slashes",
    "django.middleware.csrf.CsrfViewMiddleware",
    "variorum.backend.Authentication",
    "variorum.languages.choosing.readers_language",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "variorum.accounts.recorded.record_refusals_and_downloads",
    "variorum.middleware.private_pages",
    "variorum.middleware.htmx_redirects",
    "variorum.api.parameters.known_parameters",
    "variorum.api.idempotency.answers_once",
]

ROOT_URLCONF = "variorum.urls"
WSGI_APPLICATION = "variorum.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["django.templatetags.i18n", "common.templatetags.languages"],
        },
    }
]

DATABASES = {"default": env.database(DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 2**20
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 * 2**20
# The largest file that a form takes, with what is typed beside it: more is refused unread.
LARGEST_REQUEST = 35 * 2**20

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
# Readers' pages speak these; all else is English (docs/languages.md).
USE_I18N = True
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "variorum.typeface.finder.TypefaceFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

AUTHENTICATION_BACKENDS = ["variorum.backend.Backend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Browsers keep what they are told here: nothing from elsewhere, no inline script or style.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}
HTTPS = env.flag("VARIORUM_HTTPS")
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 365 * 86400 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
PROXIES = env.proxies()
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_NAME = "__Host-variorum" if HTTPS else "variorum"
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else "csrf"
SESSION_ENGINE = "variorum.backend"
SESSION_COOKIE_AGE = 14 * 86400
X_FRAME_OPTIONS = "DENY"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotation.people.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["variorum.api.parser.StrictJson"],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    # OPTIONS would describe every field and choice a second time, unreviewed: the schema does.
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "STRICT_JSON": True,
    # Every parameter of an address is in the schema; this one would be in none.
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "variorum.api.errors.in_one_form",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Variorum",
    "DESCRIPTION": "All that a study needs, and what it is made of, for scripts. A method that an address "
    "has not is answered by 405, in the form of every error.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "AssignmentStatusEnum": "annotation.models.AssignmentStatus",
        "OutcomeEnum": "annotation.models.Outcome",
        "HookEventEnum": "annotation.models.HookEvent",
        "JobStatusEnum": "retrieval.models.Status",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "variorum.api.schema.with_errors",
    ],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
}

CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
CELERY_BROKER_TRANSPORT_OPTIONS = {"polling_interval": 0.1} if EMBEDDED else {}
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = CELERY_RESULT_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "cpu"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A worker that has given up, as it would after an hour, is started again by nobody until somebody looks.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None

# The row is the queue: how long a worker may be silent, and how often waiting rows are looked at.
JOB_LEASE_SECONDS = 60
JOB_MAX_ATTEMPTS = 3
JOB_SWEEP_SECONDS = 1 if EMBEDDED else 30
# A chapter takes seconds and the longest pair of texts known half a minute: what takes longer hangs.
LOADING_SECONDS = env.loading_seconds()

# Which language models may be asked, and how their keys are found when a call is made.
MODELS = env.text("VARIORUM_MODELS")
MODEL_KEY = env.named_secret

# Who may be told of studies, and how their secrets are found when a message is sent.
WEBHOOKS = env.text("VARIORUM_WEBHOOKS")
NAMED_SECRET = env.named_secret

# Where links that leave the site lead, and how e-mail to readers is sent; without a server none is.
SITE = mail.site()
MAIL = mail.mail_server()
MAIL_IS_SENT = bool(SITE and MAIL.sender)
EMAIL_BACKEND, EMAIL_FILE_PATH = MAIL.backend, MAIL.folder or None
EMAIL_HOST, EMAIL_PORT = MAIL.host, MAIL.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL.user, MAIL.password
EMAIL_USE_TLS, EMAIL_USE_SSL = MAIL.starttls, MAIL.tls
EMAIL_TIMEOUT, DEFAULT_FROM_EMAIL = mail.SECONDS, MAIL.sender or "nobody@localhost"

# Whoever sends this as a bearer token reads /metrics; without one there is no such address.
METRICS_TOKEN = env.metrics_token()
LOG_FORMAT = env.log_format()
LOGGING = logs.configuration(LOG_FORMAT)
