/* Definitions from dicts, and what Python sees of them, by the tables of the library
 * (vorton/rows.h). */
#pragma once

#include "python/binding.h"

/* Sets the members of a definition that the dict names (NULL: none); unknown keys are a TypeError
 * that lists the known ones. Which values are allowed, the library says; here only their types are
 * checked, and NaN. `kept` is a list that keeps what the definition then points to. `function`
 * begins messages. Returns 0, or -1 with an exception set. */
int vti_py_read(const char *function, const char *definition, PyObject *dict, void *def,
                PyObject *kept);

/* The same for a method that takes keyword arguments alone, and needs all arrays. */
int vti_py_read_arguments(const char *function, const char *definition, PyObject *positional,
                          PyObject *named, void *def, PyObject *kept);

/* Method of Simulation: add(kind, **parameters). */
PyObject *vti_py_add(PyObject *self, PyObject *positional, PyObject *named);

/* change(kind, id, **parameters), remove_added(what, id). */
PyObject *vti_py_change(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_remove_added(PyObject *self, PyObject *arguments);

/* Dict of all tables: of each definition a dict of its rows. */
PyObject *vti_py_tables(void);

/* Dict of the rows of the articles' method. */
PyObject *vti_py_article_method(void);
