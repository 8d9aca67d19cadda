/**
 * Names that mean something to a shell, a loader or an interpreter: whoever sets them could change how code is run, or break it.
 * Those that end in `*` stand for all that begin so. Letter case does not matter.
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
