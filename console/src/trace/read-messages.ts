export interface ShownMessage {
  role: string;
  text: string;
}

type Json = Record<string, unknown>;

/** The messages of a call, or the text of a completion, made for reading. What is no text is told in words or as JSON. */
export function readMessages(prompt: unknown): ShownMessage[] {
  const { messages, content } = asObject(prompt);
  if (!Array.isArray(messages)) return [{ role: 'text', text: textOfContent(content) }];
  return messages.map((message) => {
    const { role, content: parts, tool_calls: calls } = asObject(message);
    const texts = [textOfContent(parts), ...(Array.isArray(calls) ? calls.map(textOfCall) : [])];
    return { role: String(role ?? 'unknown'), text: texts.filter((text) => text !== '').join('\n') };
  });
}

function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : asJson(content);
  return content.map(textOfPart).join('\n');
}

function textOfPart(part: unknown): string {
  if (typeof part === 'string') return part;
  const { type, text, thinking, code, image_url: image } = asObject(part);
  if (typeof text === 'string') return text;
  if (typeof thinking === 'string') return `(thinking) ${thinking}`;
  if (typeof code === 'string') return code;
  if (type === 'image_url') return `(image) ${shortened(String(asObject(image).url ?? ''))}`;
  return asJson(part);
}

function textOfCall(call: unknown): string {
  const { name, arguments: values } = asObject(asObject(call).function);
  return `${String(name ?? 'tool')}(${typeof values === 'string' ? values : asJson(values ?? {})})`;
}

/** Images come as data of megabytes. */
const LONGEST_URL = 200;

function shortened(url: string): string {
  return url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
