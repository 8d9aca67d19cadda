import { McpFailure } from './mcp-failure.js';

/** Bytes of one message of a server. A result that is larger would not fit into a cell. */
const MAX_MESSAGE = 16_000_000;

const BLANK_LINES = ['\n\n', '\r\n\r\n', '\r\r'];

/**
 * Limits the size of the messages of a response. Calls `onEnd` when the response ends, with the error if it breaks off. The
 * reader has received everything by then.
 */
export function watchedResponse(response: Response, onEnd: (error: unknown) => void): Response {
  if (!response.body) {
    onEnd(null);
    return response;
  }
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  const { status, statusText, headers } = response;
  return new Response(watchedBody(response.body, { isStream, onEnd }), { status, statusText, headers });
}

function watchedBody(
  body: ReadableStream<Uint8Array>,
  { isStream, onEnd }: { isStream: boolean; onEnd: (error: unknown) => void },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  async function read(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { done, value } = await reader.read();
    if (done) {
      controller.close();
      onEnd(null);
      return;
    }
    // A blank line ends a message of a stream. Readers hold one message at a time.
    size = isStream && endsMessage(value) ? 0 : size + value.length;
    if (size > MAX_MESSAGE) {
      void reader.cancel().catch(() => undefined);
      throw new McpFailure(`The MCP server sent more than ${MAX_MESSAGE / 1_000_000} MB at once.`);
    }
    controller.enqueue(value);
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        read(controller).catch((error: unknown) => {
          controller.error(error);
          onEnd(error);
        }),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function endsMessage(piece: Uint8Array): boolean {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  return BLANK_LINES.some((line) => bytes.includes(line));
}
