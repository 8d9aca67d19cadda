/** A part of a message, by how it is shown. */
export type Block =
  | { kind: 'text' | 'thinking' | 'code'; text: string }
  /** A `data:` URL or a remote one. */
  | { kind: 'image'; url: string }
  | { kind: 'file'; title: string }
  | { kind: 'call'; id: string; name: string; input: unknown; result: Block[] | null }
  /** The result of a call in the same message or an earlier one. */
  | { kind: 'result'; callId: string; blocks: Block[] }
  /** Everything that has no other form, named by its type. */
  | { kind: 'data'; title: string; value: unknown };

/** A message: its role and content. */
export interface Said {
  role: string;
  blocks: Block[];
}

export interface ShownMessage {
  role: string;
  text: string;
}

type Json = Record<string, unknown>;

/** The messages of a call, or the text of a completion. The content is foreign: any value gives blocks. */
export function readBlocks(prompt: unknown): Said[] {
  const { messages, content } = asObject(prompt);
  if (!Array.isArray(messages)) return [{ role: 'text', blocks: blocksOf(content) }];
  return messages.map((message) => {
    const said = asObject(message);
    const blocks = blocksOf(said.content);
    const role = String(said.role ?? 'unknown');
    if (role === 'tool') return { role, blocks: [resultOf(said.tool_call_id, blocks)] };
    if (role === 'function') return { role, blocks: [resultOf(said.name, blocks)] };
    return { role, blocks: [...blocks, ...callsOf(said)] };
  });
}

/** The same with every result beside its call. A result without a call stays where it is. */
export function readConversation(prompt: unknown): Said[] {
  const calls = new Map<string, Extract<Block, { kind: 'call' }>>();
  const told = readBlocks(prompt).map(({ role, blocks }) => {
    const own = blocks.map((block) => (block.kind === 'call' ? { ...block } : block));
    const kept = own.filter((block) => {
      if (block.kind === 'call' && block.result === null) calls.set(block.id, block);
      const call = block.kind === 'result' ? calls.get(block.callId) : undefined;
      if (!call || block.kind !== 'result') return true;
      call.result = block.blocks;
      // A reused id belongs to the later call.
      calls.delete(block.callId);
      return false;
    });
    return { role, blocks: kept, isEmptied: kept.length === 0 && blocks.length > 0 };
  });
  return told.filter(({ isEmptied }) => !isEmptied).map(({ role, blocks }) => ({ role, blocks }));
}

/** The messages as texts, for comparing and copying. */
export function readMessages(prompt: unknown): ShownMessage[] {
  return readBlocks(prompt).map(({ role, blocks }) => ({ role, text: textOfBlocks(blocks) }));
}

export function textOfBlocks(blocks: readonly Block[]): string {
  return blocks
    .map(textOfBlock)
    .filter((text) => text !== '')
    .join('\n');
}

function textOfBlock(block: Block): string {
  switch (block.kind) {
    case 'text':
    case 'code':
      return block.text;
    case 'thinking':
      return `(thinking) ${block.text}`;
    case 'image':
      return `(image) ${shortened(block.url)}`;
    case 'file':
      return `(file) ${block.title}`;
    case 'call': {
      const input = typeof block.input === 'string' ? block.input : asJson(block.input ?? {});
      const call = `${block.name}(${input})`;
      return block.result === null ? call : `${call}\n${textOfBlocks(block.result)}`;
    }
    case 'result':
      return textOfBlocks(block.blocks);
    case 'data':
      return asJson(block.value);
  }
}

function blocksOf(content: unknown): Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [{ kind: 'data', title: 'content', value: content }];
  return content.flatMap(blocksOfPart);
}

function blocksOfPart(part: unknown): Block[] {
  if (typeof part === 'string') return [{ kind: 'text', text: part }];
  const given = asObject(part);
  const read = Object.hasOwn(PARTS, String(given.type)) ? PARTS[String(given.type)] : undefined;
  if (read) return read(given);
  if (typeof given.text === 'string') return [{ kind: 'text', text: given.text }];
  return [{ kind: 'data', title: typeof given.type === 'string' ? given.type : 'part', value: part }];
}

type ReadPart = (part: Json) => Block[];

const result: ReadPart = ({ tool_use_id: id, content }) => [
  resultOf(id, [{ kind: 'data', title: 'result', value: content }]),
];
const output: ReadPart = ({ call_id: id, output: value }) => [resultOf(id, [{ kind: 'data', title: 'result', value }])];
const call = (id: unknown, name: string, input: unknown): Block => ({
  kind: 'call',
  id: String(id ?? ''),
  name,
  input,
  result: null,
});

/** Parts by their type; see the schema `PromptContentPart`. */
const PARTS: Record<string, ReadPart> = {
  thinking: ({ thinking }) => textBlock('thinking', thinking),
  code: ({ code }) => textBlock('code', code),
  code_execution_result: ({ output: text }) => textBlock('code', text),
  image_url: ({ image_url: image }) => [{ kind: 'image', url: String(asObject(image).url ?? '') }],
  media: ({ media }) => [mediaOf(asObject(media))],
  output_media: ({ url, mime_type: type }) => [mediaOf({ url, type, title: 'media' })],
  server_tool_use: ({ id, name, input }) => [call(id, String(name ?? 'tool'), input)],
  mcp_call: ({ id, name, arguments: input, output: value, error }) => [
    {
      ...call(id, String(name ?? 'tool'), readIfJson(input)),
      result: [{ kind: 'data', title: error ? 'error' : 'result', value: error ?? value }],
    } as Block,
  ],
  shell_call: ({ call_id: id, action }) => [call(id, 'shell', action)],
  apply_patch_call: ({ call_id: id, operation }) => [call(id, 'apply_patch', operation)],
  shell_call_output: output,
  apply_patch_call_output: output,
  web_search_tool_result: result,
  bash_code_execution_tool_result: result,
  text_editor_code_execution_tool_result: result,
};

const textBlock = (kind: 'thinking' | 'code', text: unknown): Block[] =>
  typeof text === 'string' && text !== '' ? [{ kind, text }] : [];

/** Shows a file that is an image. Its content may be base64 without the head of a `data:` URL. */
function mediaOf({ url, type, format, title }: Json): Block {
  if (typeof url !== 'string' || !String(type).startsWith('image/')) {
    return { kind: 'file', title: `${String(title ?? 'file')} · ${String(type ?? 'unknown type')}` };
  }
  const isBare = format === 'base64' && !url.startsWith('data:');
  return { kind: 'image', url: isBare ? `data:${String(type)};base64,${url}` : url };
}

function callsOf({ tool_calls: calls, function_call: older }: Json): Block[] {
  const list = Array.isArray(calls) ? calls.map(asObject) : [];
  return [
    ...list.map(({ id, function: called }) => calledFunction(id, asObject(called))),
    ...(older ? [calledFunction(asObject(older).name, asObject(older))] : []),
  ];
}

const calledFunction = (id: unknown, { name, arguments: values }: Json): Block =>
  call(id, String(name ?? 'tool'), values);

const resultOf = (id: unknown, blocks: Block[]): Block => ({ kind: 'result', callId: String(id ?? ''), blocks });

/** Numbers with this many digits can lose precision when they are parsed. */
const LONG_NUMBER = /\d{16}/;
/** Longer JSON is shown as text: its tree would be slow and of little use. */
const LONGEST_JSON = 1_000_000;

/** Parses the JSON of an object or a list. Other values stay as they are. */
export function readIfJson(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > LONGEST_JSON || !/^\s*[[{]/.test(value)) return value;
  if (LONG_NUMBER.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** Longer URLs are shortened: data URLs of images have megabytes. */
const LONGEST_URL = 200;

function shortened(url: string): string {
  return url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
}

export function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}
