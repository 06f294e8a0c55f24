/* pinfold.h: the C API of Pinfold, for C and other languages: opaque handles, JSON in and out.
 *
 * Invariant: no function throws, sets a signal handler or crashes on a NULL argument, which is reported as an error.
 * Not here: C++ (run.h, policy.h, scope.h).
 *
 * The caller keeps ownership of the text that it passes. Returned text is UTF-8 and ends with a NUL; free it with
 * pinfold_free_text(). A function returns NULL only when memory allocation fails.
 *
 * Every response is one JSON object. {"ok": true, ...} or
 *   {"ok": false, "error": {"kind": "invalid" | "refused" | "not_found" | "unavailable" | "system",
 *                           "message": "...", "fix": "..."}}
 *
 * A policy is an object with the keys of the policy files (docs/reference/policy.md): {"profile": "strict", "read":
 * ["/opt/sdk"], "timeout": "30s"}. Relative paths start at the working directory of this process.
 *
 * Threads: several threads may use one handle at once, except during pinfold_set_decider() and pinfold_free().
 */
#ifndef PINFOLD_PINFOLD_H
#define PINFOLD_PINFOLD_H

#include "pinfold/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented by each incompatible change of a function or a response. */
#define PINFOLD_C_API 1

/* The version of the library, "0.1.0", and the PINFOLD_C_API that it was built with. Do not free the text. */
PINFOLD_API const char* pinfold_version(void);
PINFOLD_API int pinfold_c_api(void);

typedef struct pinfold_handle pinfold_t;

/* Returns a handle. On failure returns NULL and, unless `error` is NULL, stores an error response in *error. */
PINFOLD_API pinfold_t* pinfold_new(char** error);
/* NULL is allowed. */
PINFOLD_API void pinfold_free(pinfold_t* handle);
PINFOLD_API void pinfold_free_text(char* text);

/* Runs a command and waits until it and all its descendants have ended.
 *   {"argv": ["make", "test"],        the command; required
 *    "policy": {...},                 its policy; default: the preset `moderate`
 *    "sources": ["user", "project", "environment"],
 *                                     files and variables that the policy is added to; default: none
 *    "cwd": "/home/you/project",      working directory; default: this process's, or the first workspace
 *    "capture": true,                 false: it inherits this process's standard streams
 *    "input": "...",                  with capture: its standard input
 *    "capture_limit": 16777216,       with capture: maximum bytes kept of each stream
 *    "ask": false}                    true: a denied call waits while the decider decides
 * The response: {"ok": true, "report": {...}, "stdout": "...", "stderr": "...", "truncated": false}; `report`
 * follows docs/reference/report.schema.json. In "stdout" and "stderr" bytes that are not UTF-8 are replaced; the
 * unchanged bytes are then in "stdout_base64" and "stderr_base64". */
PINFOLD_API char* pinfold_run(pinfold_t* handle, const char* request_json);

/* Reports how well this host can enforce the policy of such a request. Runs nothing.
 * {"ok": true, "would_run": true, "coverage": [...]} */
PINFOLD_API char* pinfold_assess(pinfold_t* handle, const char* request_json);

/* Returns an error that lists every mistake in the policy, or {"ok": true, "policy": {every rule with its origin}}. */
PINFOLD_API char* pinfold_policy_check(const char* policy_json);

/* The decision of a policy about one path, which may be relative or begin with "~".
 * {"ok": true, "path": "the canonical path", "access": "hidden" | "read" | "write", "rule": "...", "origin": "...",
 *  "allow_with": "--read ..." or null} */
PINFOLD_API char* pinfold_decide(const char* policy_json, const char* path);

/* Advice about a command line (docs/guides/advice.md). `shell`: "auto", "bash" or "powershell"; NULL is "auto".
 * {"ok": true, "verdict": "safe" | "ask" | "deny", "complete": true, "findings": [{"rule", "category", "verdict",
 *  "begin", "end", "reason", "safer"}]} */
PINFOLD_API char* pinfold_advise(const char* text, const char* shell);

/* Removes secrets and personal data from a text (docs/guides/redaction.md). `options_json`, or NULL:
 *   {"only": "secrets" | "personal", "json": false,     true: JSON in, JSON out
 *    "values": {"API_KEY": "..."}}                      values to remove, also in common encodings
 * {"ok": true, "text": "...", "counts": {"github-token": 1}} */
PINFOLD_API char* pinfold_redact(const char* text, const char* options_json);

/* Sets the callback that decides about gaps when a policy says {"on_unavailable": "prompt"}, and about denied calls
 * with "ask". Without it, or with NULL, each request is denied. `question_json` is {"kind": "gap", "backend": "...",
 * "fixes": [lines], "gaps": [coverage rows]} or an object of another kind; it is freed when the callback returns. The
 * callback runs on the thread that runs the command. Return PINFOLD_DENY for a kind that you do not know; any value
 * outside of this enum also denies. */
enum { PINFOLD_DENY = 0, PINFOLD_ONCE = 1, PINFOLD_SESSION = 2, PINFOLD_ALWAYS = 3 };
typedef int (*pinfold_decider_t)(void* context, const char* question_json);
PINFOLD_API void pinfold_set_decider(pinfold_t* handle, pinfold_decider_t decider, void* context);

#ifdef __cplusplus
}
#endif

#endif
