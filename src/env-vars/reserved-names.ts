/**
 * Names with a meaning for a shell, a loader or an interpreter: setting them could change how code runs, or break it. A name that
 * ends in `*` is a prefix. Letter case does not matter.
 */
const RESERVED = `
  BASHOPTS BASH_* CDPATH ENV GCONV_PATH GLIBC_TUNABLES HOME HOSTALIASES IFS LOCALDOMAIN LOCPATH LOGNAME MALLOC_* NLSPATH OLDPWD
  PATH PROMPT_COMMAND PS4 PWD RESOLV_HOST_CONF RES_OPTIONS SHELL SHELLOPTS SHLVL TMPDIR USER _
  LD_* DYLD_* PYTHON* PYODIDE_* NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_REPL_* NODE_V8_*
  NODE_DEBUG NODE_CHANNEL_* NODE_UNIQUE_ID OPENSSL_CONF OPENSSL_MODULES SSL_CERT_DIR SSL_CERT_FILE SSLKEYLOGFILE UV_*`;

const PATTERNS = RESERVED.trim()
  .split(/\s+/)
  .map((name) => new RegExp(`^${name.replace('*', '.*')}$`, 'i'));

export function isReserved(name: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(name));
}
