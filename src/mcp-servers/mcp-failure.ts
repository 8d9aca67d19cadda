/** What is known of a failure besides the words: it tells whether another try may help. */
export interface FailureDetails {
  /** Of the HTTP answer that was a refusal. */
  status?: number;
  headers?: Headers;
  /** Code of the connection that failed. */
  code?: string;
  /** The server has answered, by the protocol: the session is fine. */
  isAnswer?: boolean;
  cause?: unknown;
}

/** Why a tool could not be called, in words for whoever chose the server and the tool. */
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
