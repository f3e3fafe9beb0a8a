"""The words of readers' pages: read from the sources, compared with the catalogues, compiled."""
