import { request } from './client';

/** The events of an operation while it goes on, by name. */
export type Listen = (name: string, data: unknown) => void;

/** Posts a body and hears the events of the answer until it ends. Throws an ApiError for an answer that is a refusal. */
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

/** Our own server sends the name in one line and JSON in the next; comments keep the connection open. */
function hear(block: string, listen: Listen): void {
  const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
  if (name !== undefined && data !== undefined) listen(name, JSON.parse(data));
}
