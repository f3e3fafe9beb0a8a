"""The faces that texts are set in: subsets of open-licence fonts, made when static files are collected."""
