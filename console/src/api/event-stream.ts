import { request } from './client';

/** Called with the name and data of each event of a running operation. */
export type Listen = (name: string, data: unknown) => void;

/** Posts a body and reads the events of the response until it ends. Throws an ApiError when the server refuses. */
export async function postForEvents(url: string, body: object, listen: Listen, signal: AbortSignal): Promise<void> {
  const response = await request(url, { method: 'POST', body, signal });
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) hear(block, listen);
  }
}

/**
 * Reads one event. Our server sends its name in one line and JSON in the next; comments only keep the connection open.
 * JSON may contain U+2028, which the dot of a regular expression does not match.
 */
export function hear(block: string, listen: Listen): void {
  const [, name, data] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(block) ?? [];
  if (name !== undefined && data !== undefined) listen(name, JSON.parse(data));
}
