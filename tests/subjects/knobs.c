/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose cost is known: what each of its knobs does to time and memory is planted.
 *
 *   knobs [--work UNITS] [--model MODEL] [--truth] [--NAME | --NAME=VALUE | --NAME VALUE]...
 *
 * A knob is on by `--NAME`, by the environment (KNOB_NAME=on), or because it was compiled in
 * (-DKNOB_A ... -DKNOB_J for the knobs a to j). Values are numbers: on = 1, off = 0.
 * The model is a list of terms separated by blanks or commas, also taken from $KNOBS_MODEL:
 *
 *   pin=5          pin alone makes the work 5 % more
 *   free=-4        free makes it 4 % less
 *   a&b=9          both together, and only together
 *   a|b=6          either of them, and both no more than one
 *   a&!b=9         a without b
 *   cap>=4=8       a step: cap at 4 or above
 *   cap~2          a trend: 2 % more for every doubling of cap
 *   mem:a=32       32 MiB more of peak memory (mem: stands in front of any condition above)
 *   mem:cap~4      4 MiB for every unit of cap
 *   fail:a&!b      crashes
 *   hang:a&b       never ends
 *
 * The work is the product of all its terms, so each ratio holds whatever the others are. Pages
 * cost time: as many are taken whatever the memory is, so that memory hardly shows in
 * time (less than 0.1 ms a MiB: pages that were just given back are warm).
 * `--truth` prints the model as JSON and does nothing else. */
#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kMostTerms = 32, kMostKnobs = 64, kMostFactors = 8, kNameLength = 32 };

struct Factor { /* one condition on one knob */
  char name[kNameLength];
  int negated;
  int has_threshold;
  double threshold; /* on from this value */
};

enum Kind { kWork, kMemory, kFail, kHang };

struct Term {
  enum Kind kind;
  struct Factor factors[kMostFactors];
  int n;
  int any;    /* | instead of & */
  int trend;  /* ~ */
  double amount;
};

static struct Term terms[kMostTerms];
static int n_terms;
static struct {
  char name[kNameLength];
  double value;
} knobs[kMostKnobs];
static int n_knobs;

static void die(const char* what, const char* text) {
  fprintf(stderr, "knobs: %s: %s\n", what, text);
  exit(2);
}

static void set_knob(const char* name, size_t length, double value) {
  if (length == 0 || length >= kNameLength || n_knobs == kMostKnobs) die("not a knob", name);
  for (int i = 0; i < n_knobs; ++i)
    if (strlen(knobs[i].name) == length && strncmp(knobs[i].name, name, length) == 0) {
      knobs[i].value = value;
      return;
    }
  memcpy(knobs[n_knobs].name, name, length);
  knobs[n_knobs++].value = value;
}

static double value_of(const char* name) {
  for (int i = 0; i < n_knobs; ++i)
    if (strcmp(knobs[i].name, name) == 0) return knobs[i].value;
  return 0;
}

static double number(const char* text) {
  if (strcmp(text, "on") == 0 || strcmp(text, "yes") == 0) return 1;
  if (strcmp(text, "off") == 0 || strcmp(text, "no") == 0 || *text == '\0') return 0;
  char* end = NULL;
  const double value = strtod(text, &end);
  if (*end != '\0') die("not a number", text);
  return value;
}

/* One condition: [!]NAME[>=NUMBER]. Returns what is behind it. */
static const char* parse_factor(const char* text, struct Factor* factor) {
  if (*text == '!') {
    factor->negated = 1;
    ++text;
  }
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '-' || text[length] == '_')
    ++length;
  if (length == 0 || length >= kNameLength) die("no knob in the model at", text);
  memcpy(factor->name, text, length);
  text += length;
  if (strncmp(text, ">=", 2) == 0) {
    char* end = NULL;
    factor->has_threshold = 1;
    factor->threshold = strtod(text + 2, &end);
    text = end;
  }
  return text;
}

static void parse_term(const char* text) {
  if (n_terms == kMostTerms) die("too many terms", text);
  struct Term* term = &terms[n_terms++];
  const char* at = text;
  if (strncmp(at, "mem:", 4) == 0) term->kind = kMemory;
  if (strncmp(at, "fail:", 5) == 0) term->kind = kFail;
  if (strncmp(at, "hang:", 5) == 0) term->kind = kHang;
  if (term->kind != kWork) at = strchr(at, ':') + 1;
  for (;;) {
    if (term->n == kMostFactors) die("too many knobs in one term", text);
    at = parse_factor(at, &term->factors[term->n++]);
    if (*at != '&' && *at != '|') break;
    term->any = *at == '|';
    ++at;
  }
  if (term->kind == kFail || term->kind == kHang) {
    if (*at != '\0') die("nothing may follow", text);
    return;
  }
  if (*at != '=' && *at != '~') die("no amount", text);
  term->trend = *at == '~';
  if (term->trend && term->n != 1) die("a trend is of one knob", text);
  term->amount = number(at + 1);
}

static void parse_model(const char* model) {
  char* copy = strdup(model);
  for (char* word = strtok(copy, " ,;\n"); word != NULL; word = strtok(NULL, " ,;\n"))
    parse_term(word);
  free(copy);
}

static int is_on(const struct Term* term) {
  for (int i = 0; i < term->n; ++i) {
    const struct Factor* factor = &term->factors[i];
    const double value = value_of(factor->name);
    int on = factor->has_threshold ? value >= factor->threshold : value != 0;
    if (factor->negated) on = !on;
    if (on && term->any) return 1;
    if (!on && !term->any) return 0;
  }
  return !term->any;
}

/* What a term makes of the work, or the MiB that it takes, as the knobs are. */
static double effect(const struct Term* term) {
  if (term->kind == kMemory) {
    if (term->trend) return term->amount * value_of(term->factors[0].name);
    return is_on(term) ? term->amount : 0;
  }
  if (!term->trend) return is_on(term) ? 1 + term->amount / 100 : 1;
  const double value = value_of(term->factors[0].name);
  return value > 0 ? pow(1 + term->amount / 100, log2(value)) : 1;
}

static void print_truth(unsigned long units) {
  printf("{\"schema_version\": 1, \"subject\": \"knobs\", \"units\": %lu, \"terms\": [", units);
  for (int i = 0; i < n_terms; ++i) {
    const struct Term* term = &terms[i];
    static const char* const kKinds[] = {"work", "memory", "fail", "hang"};
    printf("%s\n  {\"kind\": \"%s\", \"shape\": \"%s\", \"knobs\": [", i > 0 ? "," : "",
           kKinds[term->kind],
           term->trend                     ? "trend"
           : term->factors[0].has_threshold ? "step"
           : term->n == 1                  ? "main"
           : term->any                     ? "or"
                                           : "and");
    for (int j = 0; j < term->n; ++j)
      printf("%s\"%s%s\"", j > 0 ? ", " : "", term->factors[j].negated ? "!" : "",
             term->factors[j].name);
    printf("]");
    if (term->factors[0].has_threshold) printf(", \"from\": %g", term->factors[0].threshold);
    if (term->kind == kWork) printf(", \"ratio\": %.6g", 1 + term->amount / 100);
    if (term->kind == kMemory) printf(", \"mib\": %g", term->amount);
    printf("}");
  }
  printf("\n]}\n");
}

/* Takes `mib` of memory and as many pages as `most` MiB would take. Populated by the kernel in one
 * go, which costs a tenth of as many page faults. */
static void take_memory(size_t mib, size_t most) {
  const size_t mega = (size_t)1 << 20;
  for (size_t done = 0; done < most || done < mib; ++done) {
    void* block = mmap(NULL, mega, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (block == MAP_FAILED) die("no memory", "mmap");
    if (done >= mib) munmap(block, mega);
  }
}

extern char** environ;

static void read_environment(void) {
  for (char** entry = environ; *entry != NULL; ++entry) {
    if (strncmp(*entry, "KNOB_", 5) != 0) continue;
    const char* equals = strchr(*entry, '=');
    char name[kNameLength];
    size_t length = 0;
    for (const char* c = *entry + 5; c != equals && length + 1 < kNameLength; ++c)
      name[length++] = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
    set_knob(name, length, number(equals + 1));
  }
}

static void read_definitions(void) {
#define COMPILED_IN(letter) set_knob(letter, 1, 1)
#ifdef KNOB_A
  COMPILED_IN("a");
#endif
#ifdef KNOB_B
  COMPILED_IN("b");
#endif
#ifdef KNOB_C
  COMPILED_IN("c");
#endif
#ifdef KNOB_D
  COMPILED_IN("d");
#endif
#ifdef KNOB_E
  COMPILED_IN("e");
#endif
#ifdef KNOB_F
  COMPILED_IN("f");
#endif
#ifdef KNOB_G
  COMPILED_IN("g");
#endif
#ifdef KNOB_H
  COMPILED_IN("h");
#endif
#ifdef KNOB_I
  COMPILED_IN("i");
#endif
#ifdef KNOB_J
  COMPILED_IN("j");
#endif
}

int main(int argc, char** argv) {
  unsigned long units = 500;
  int truth = 0;
  const char* model = getenv("KNOBS_MODEL");
  read_definitions();
  read_environment();
  for (int i = 1; i < argc; ++i) {
    const char* word = argv[i];
    if (strncmp(word, "--", 2) != 0) die("not an option", word);
    word += 2;
    const char* equals = strchr(word, '=');
    const int has_next = i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0;
    const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const char* value = equals != NULL ? equals + 1 : has_next ? argv[++i] : "on";
    if (strcmp(word, "truth") == 0)
      truth = 1;
    else if (length == 4 && strncmp(word, "work", 4) == 0)
      units = strtoul(value, NULL, 10);
    else if (length == 5 && strncmp(word, "model", 5) == 0)
      model = value;
    else
      set_knob(word, length, number(value));
  }
  if (model != NULL) parse_model(model);
  if (truth) {
    print_truth(units);
    return 0;
  }
  double work = (double)units, memory = 0, most = 0;
  for (int i = 0; i < n_terms; ++i) {
    const struct Term* term = &terms[i];
    if (term->kind == kWork) work *= effect(term);
    if (term->kind == kMemory) memory += effect(term);
    if (term->kind == kMemory) most += term->trend ? 16 * term->amount : term->amount;
    if (term->kind == kFail && is_on(term)) raise(SIGABRT);
    while (term->kind == kHang && is_on(term)) pause();
  }
  take_memory((size_t)fmax(memory, 0), (size_t)fmax(most, 0));
  volatile uint64_t sink;
  uint64_t x = 88172645463325252u;
  for (uint64_t steps = (uint64_t)(work * 10000); steps > 0; --steps) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  sink = x;
  return sink == 0;
}
