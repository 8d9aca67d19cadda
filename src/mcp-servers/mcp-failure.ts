/** Facts about a failure that decide whether a retry may help. */
export interface FailureDetails {
  /** Status of the HTTP response that refused the call. */
  status?: number;
  headers?: Headers;
  /** Error code of a failed connection. */
  code?: string;
  /** True if the server answered by the protocol, so the session is still usable. */
  isAnswer?: boolean;
  cause?: unknown;
}

/** A failed call of a tool. The message is for the user who chose the server and the tool. */
export class McpFailure extends Error {
  readonly status?: number;
  readonly headers?: Headers;
  readonly code?: string;
  readonly isAnswer: boolean;

  constructor(message: string, { status, headers, code, isAnswer = false, cause }: FailureDetails = {}) {
    super(message, { cause });
    this.status = status;
    this.headers = headers;
    this.code = code;
    this.isAnswer = isAnswer;
  }
}
