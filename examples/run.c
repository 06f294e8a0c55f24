/* run.c: the same from C: a request in JSON, an answer in JSON. */
#include <stdio.h>

#include <pinfold/pinfold.h>

int main(void) {
  char *error = NULL;
  char *answer;
  pinfold_t *handle = pinfold_new(&error);
  if (handle == NULL) {
    fprintf(stderr, "%s\n", error != NULL ? error : "out of memory");
    pinfold_free_text(error);
    return 1;
  }
  answer = pinfold_run(handle,
                       "{\"argv\": [\"sh\", \"-c\", \"echo $GREETING; echo x > note\"],"
                       " \"policy\": {\"profile\": \"read-only\", \"timeout\": \"10s\", \"env\": [\"GREETING=hello\"]}}");
  puts(answer != NULL ? answer : "out of memory");
  pinfold_free_text(answer);
  pinfold_free(handle);
  return 0;
}
