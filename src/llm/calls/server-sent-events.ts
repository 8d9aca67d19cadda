/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** Empty for an event without a name. */
  name: string;
  data: string;
}

/** Characters of one event. The last event of some vendors repeats the whole answer. */
const MOST_CHARACTERS = 50_000_000;

/** The events of a body, however it is cut into pieces. Comments are skipped. The last event needs no blank line after it. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  const lines = new Lines();
  let event = new EventLines();
  for await (const bytes of body) {
    for (const line of lines.add(decoder.decode(bytes, { stream: true }))) {
      if (line !== '') event.add(line);
      else {
        if (event.hasData) yield event.toEvent();
        event = new EventLines();
      }
    }
    if (lines.heldLength + event.length > MOST_CHARACTERS) {
      throw new Error(`A part of the stream is longer than ${MOST_CHARACTERS} characters.`);
    }
  }
  for (const line of [...lines.add(decoder.decode()), lines.held]) event.add(line);
  if (event.hasData) yield event.toEvent();
}

/** Cuts a text that arrives in pieces into lines. They end with LF, CR, or both. Each character is looked at once. */
class Lines {
  /** The start of a line whose end has not arrived. */
  held = '';
  private endedWithCr = false;

  get heldLength(): number {
    return this.held.length;
  }

  *add(text: string): Generator<string> {
    if (text === '') return;
    let start = this.endedWithCr && text.startsWith('\n') ? 1 : 0;
    this.endedWithCr = text.endsWith('\r');
    const ends = /\r\n|\r|\n/g;
    ends.lastIndex = start;
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      const line = this.held + text.slice(start, end.index);
      this.held = '';
      start = ends.lastIndex;
      yield line;
    }
    this.held += text.slice(start);
  }
}

/** The fields of one event. */
class EventLines {
  private name = '';
  private readonly data: string[] = [];
  length = 0;

  get hasData(): boolean {
    return this.data.length > 0;
  }

  add(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.name = value;
    if (field !== 'data') return;
    this.data.push(value);
    this.length += value.length;
  }

  toEvent(): ServerSentEvent {
    return { name: this.name, data: this.data.join('\n') };
  }
}
