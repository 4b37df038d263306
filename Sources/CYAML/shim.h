#ifndef YODEL_CYAML_SHIM_H
#define YODEL_CYAML_SHIM_H
#include <yaml.h>
#include <stdlib.h>

/* yaml_parser_t is large and self-referential: it stays where C put it, Swift holds only its address. */
static inline yaml_parser_t *cyaml_parser_new(const unsigned char *text, size_t length) {
    yaml_parser_t *parser = malloc(sizeof(yaml_parser_t));
    if (!parser) return NULL;
    if (!yaml_parser_initialize(parser)) {
        free(parser);
        return NULL;
    }
    yaml_parser_set_input_string(parser, text, length);
    return parser;
}

static inline void cyaml_parser_free(yaml_parser_t *parser) {
    yaml_parser_delete(parser);
    free(parser);
}
#endif
