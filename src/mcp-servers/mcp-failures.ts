import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { OutboundFailure } from '../platform/outbound/outbound.client.js';
import { McpFailure } from './mcp-failure.js';

/** Maximum characters of a server's text in a message. */
const SHOWN = 300;

const HINTS: Record<number, string> = {
  401: ' It does not accept the credentials: check auth and headers.',
  403: ' The credentials do not suffice.',
};

/** Makes a failure of a response with a status other than 2xx. */
export async function toRefusal(response: Response, isSse: boolean): Promise<McpFailure> {
  const { status, headers } = response;
  const start = shortened(await startOf(response));
  const said = start === '' ? '.' : `: ${start}`;
  return new McpFailure(`The MCP server answered ${status}${said}${hintFor(response, isSse)}`, { status, headers });
}

/** Makes a failure of any error of the transport. */
export function toTransportFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  if (error instanceof OutboundFailure) {
    return new McpFailure(`The MCP server cannot be reached. ${error.message}`, { cause: error.cause });
  }
  if (error instanceof McpError && error.code === Number(ErrorCode.ConnectionClosed)) return connectionLost(error);
  if (error instanceof McpError) {
    const said = error.message.replace(/^MCP error -?\d+: /, '');
    return new McpFailure(`The MCP server refused the call: ${shortened(said)} (${error.code}).`, { isAnswer: true });
  }
  return new McpFailure(`The MCP server does not answer as the protocol says: ${shortened(String(error))}`, {
    cause: error,
  });
}

/** `error` is the error of the connection; null if the server closed it regularly. */
export function connectionLost(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  return new McpFailure('The MCP server ended the connection before it answered.', {
    code: 'ECONNRESET',
    cause: error,
  });
}

export function tooLate(limitMs: number): McpFailure {
  return new McpFailure(`The MCP server did not answer within ${limitMs / 1000} seconds.`, { code: 'ETIMEDOUT' });
}

function hintFor({ status, headers }: Response, isSse: boolean): string {
  if (status >= 300 && status < 400) {
    const target = headers.get('location');
    return ` Redirects are not followed${target ? `, here to ${target.slice(0, SHOWN)}` : ''}.`;
  }
  if ([400, 404, 405].includes(status)) {
    const [used, other] = isSse ? ['sse', 'streamable_http'] : ['streamable_http', 'sse'];
    return ` Check the path of the URL, and whether the server speaks ${other} and not ${used}.`;
  }
  return HINTS[status] ?? '';
}

async function startOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  try {
    const { value } = await reader.read();
    void reader.cancel().catch(() => undefined);
    return new TextDecoder().decode(value).trim();
  } catch {
    return '';
  }
}

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
