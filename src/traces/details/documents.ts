import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { firstText } from '../../llm/messages/parts.js';
import { parseIfJson } from '../../llm/messages/json-text.js';
import { readIndexed, type SpanAttributes, type SpanEvent, toNumber } from '../../trace-conventions/index.js';

/** A document that a retrieval found or a reranker ordered. */
export interface FoundDocument {
  id: string | null;
  /** null where the span has no text of the document. */
  content: string | null;
  /** The score from the store. Stores differ in scale and direction. */
  score: number | null;
  metadata: JsonObject;
}

/** Numbered documents of OpenInference; a reranker's output has the later order. */
const INDEXED = ['reranker.output_documents', 'retrieval.documents'];
/** OpenTelemetry has them as JSON. */
const LISTED = 'gen_ai.retrieval.documents';
/** The result of a query of a vector database, one event each. */
const RESULT_EVENT = 'db.query.result';
/** Members of an output in which frameworks keep their documents. */
const IN_OUTPUT = ['documents', 'nodes', 'results', 'matches', 'source_nodes'];
/** Members of a document in which frameworks keep the rest of it. */
const WRAPPERS = ['document', 'node', 'kwargs'];
const CONTENTS = ['content', 'page_content', 'pageContent', 'text', 'body', 'document'];
const IDS = ['id', 'doc_id', 'id_', 'node_id'];
const METADATA = ['metadata', 'meta', 'payload'];
const SCORES = ['score', 'relevance_score', 'similarity'];

const RETRIEVAL = /RETRIEV|RERANK/;

interface Told {
  spanType: string;
  attributes: SpanAttributes;
  events: readonly SpanEvent[];
  output: JsonValue;
}

/**
 * The documents of a retrieval, in the order of the span; null where it names none. Never throws, because senders are
 * not trusted.
 */
export function readDocuments(told: Told): FoundDocument[] | null {
  for (const list of listsOf(told)) {
    const documents = list.map(readDocument).filter((document) => document !== null);
    if (documents.length > 0) return documents;
  }
  return null;
}

function* listsOf({ spanType, attributes, events, output }: Told): Generator<JsonValue[]> {
  for (const prefix of INDEXED) yield readIndexed(attributes, prefix);
  yield asList(attributes.json(LISTED));
  yield events.filter(({ name }) => name === RESULT_EVENT).map(ofEvent);
  // Any tool may answer with a list; only that of a retrieval is one of documents.
  if (RETRIEVAL.test(spanType)) yield inOutput(output);
}

function inOutput(output: JsonValue): JsonValue[] {
  if (!isObject(output)) return asList(output);
  return IN_OUTPUT.map((name) => asList(output[name])).find((list) => list.length > 0) ?? [];
}

const asList = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

function ofEvent({ attributes }: SpanEvent): JsonObject {
  const fields = [...IDS, ...SCORES, ...METADATA, ...CONTENTS].flatMap((name) => {
    const value = attributes[`${RESULT_EVENT}.${name}`];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(fields);
}

function readDocument(entry: JsonValue): FoundDocument | null {
  if (typeof entry === 'string') return { id: null, content: entry, score: null, metadata: {} };
  if (!isObject(entry)) return null;
  const inner = WRAPPERS.map((name) => entry[name]).find(isObject) ?? {};
  const values = (names: string[]): JsonValue[] => [inner, entry].flatMap((each) => names.map((name) => each[name]!));
  const [id, content] = [textIn(values(IDS)), firstText(...values(CONTENTS)) || null];
  if (id === null && content === null) return null;
  const score =
    values(SCORES)
      .map(toNumber)
      .find((number) => number !== null) ?? null;
  return { id, content, score, metadata: values(METADATA).map(parseIfJson).find(isObject) ?? {} };
}

/** Some stores have numbers as ids. */
function textIn(values: JsonValue[]): string | null {
  const id = values.find(
    (value) => (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'bigint',
  );
  return id === undefined ? null : String(id);
}
