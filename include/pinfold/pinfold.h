/* pinfold.h: Pinfold for C, and for every language that can call C: opaque handles, JSON in and out.
 *
 * Invariant: nothing is thrown, no signal handler is set, no argument may crash it: NULL is an error that is answered.
 * Not here: C++ (run.h, policy.h, scope.h).
 *
 * Text given to a function stays the caller's. Text that a function returns is UTF-8, ends with a NUL and is given back
 * with pinfold_free_text(). NULL is returned only when there is no memory left.
 *
 * Every answer is one JSON object. {"ok": true, ...} or
 *   {"ok": false, "error": {"kind": "invalid" | "refused" | "not_found" | "unavailable" | "system",
 *                           "message": "...", "fix": "..."}}
 *
 * A policy is an object with the keys of the policy files (docs/policy.md): {"profile": "strict", "read": ["/opt/sdk"],
 * "timeout": "30s"}. Relative paths start at the working directory of this process.
 *
 * Threads: one handle may be used from several threads at once; only pinfold_set_decider() and pinfold_free() need it
 * alone.
 */
#ifndef PINFOLD_PINFOLD_H
#define PINFOLD_PINFOLD_H

#include "pinfold/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by one when a function or an answer changes so that programs must, too. */
#define PINFOLD_C_API 1

/* The library's own version, "0.1.0", and the PINFOLD_C_API that it was built with. Never freed. */
PINFOLD_API const char* pinfold_version(void);
PINFOLD_API int pinfold_c_api(void);

typedef struct pinfold_handle pinfold_t;

/* A handle, or NULL; then *error, unless `error` is NULL, is an answer that says why. */
PINFOLD_API pinfold_t* pinfold_new(char** error);
/* NULL is nothing to free. */
PINFOLD_API void pinfold_free(pinfold_t* handle);
PINFOLD_API void pinfold_free_text(char* text);

/* Runs a command and waits until it, and everything it started, is gone.
 *   {"argv": ["make", "test"],        the command; required
 *    "policy": {...},                 what it may do; the preset `moderate` without it
 *    "sources": ["user", "project", "environment"],
 *                                     files and variables that the policy comes on top of; none without it
 *    "cwd": "/home/you/project",      where it starts; else this process's directory, or the first workspace
 *    "capture": true,                 false: it has this process's own standard streams
 *    "input": "...",                  with capture: what it reads
 *    "capture_limit": 16777216,       with capture: bytes kept of each stream
 *    "ask": false}                    true: the decider is asked about what the policy does not allow, while it waits
 * The answer: {"ok": true, "report": {...}, "stdout": "...", "stderr": "...", "truncated": false}; `report` as
 * docs/report.schema.json says. Bytes that are no UTF-8 are replaced in "stdout" and "stderr", which then come a second
 * time, whole, as "stdout_base64" and "stderr_base64". */
PINFOLD_API char* pinfold_run(pinfold_t* handle, const char* request_json);

/* How well this host would enforce that; runs nothing. The same request.
 * {"ok": true, "would_run": true, "coverage": [...]} */
PINFOLD_API char* pinfold_assess(pinfold_t* handle, const char* request_json);

/* Every mistake in a policy, as an error, or {"ok": true, "policy": {every rule with its origin}}. */
PINFOLD_API char* pinfold_policy_check(const char* policy_json);

/* What a policy says about one path, written as a person would write it.
 * {"ok": true, "path": "what it leads to", "access": "hidden" | "read" | "write", "rule": "...", "origin": "...",
 *  "allow_with": "--read ..." or null} */
PINFOLD_API char* pinfold_decide(const char* policy_json, const char* path);

/* Advice about a command line (docs/safety.md). `shell`: "auto", "bash" or "powershell"; NULL is "auto".
 * {"ok": true, "verdict": "safe" | "ask" | "deny", "complete": true, "findings": [{"rule", "category", "verdict",
 *  "begin", "end", "reason", "safer"}]} */
PINFOLD_API char* pinfold_advise(const char* text, const char* shell);

/* A text without secrets and personal data (docs/redaction.md). `options_json`, or NULL:
 *   {"only": "secrets" | "personal", "json": false,     true: JSON in, JSON out
 *    "values": {"API_KEY": "..."}}                      values that go wherever they are, in every common encoding
 * {"ok": true, "text": "...", "counts": {"github-token": 1}} */
PINFOLD_API char* pinfold_redact(const char* text, const char* options_json);

/* Who answers when a policy says {"on_unavailable": "prompt"}; nobody, which means no, without this or with NULL.
 * `question_json`: {"kind": "gap", "backend": "...", "fixes": [lines], "gaps": [coverage rows]}; it is freed when the
 * function returns. Called on the thread that runs the command. Anything but these answers, and any other kind of
 * question, should be answered with PINFOLD_DENY. */
enum { PINFOLD_DENY = 0, PINFOLD_ONCE = 1, PINFOLD_SESSION = 2, PINFOLD_ALWAYS = 3 };
typedef int (*pinfold_decider_t)(void* context, const char* question_json);
PINFOLD_API void pinfold_set_decider(pinfold_t* handle, pinfold_decider_t decider, void* context);

#ifdef __cplusplus
}
#endif

#endif
