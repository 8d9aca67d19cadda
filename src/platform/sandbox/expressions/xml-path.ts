import { DOMParser, type Document, type Node, XMLSerializer } from '@xmldom/xmldom';
import xpath from 'xpath';
import type { JsonValue } from '../../json.js';
import { cached } from './cached.js';
import { EvaluationError } from './evaluation-error.js';
import { MAX_MATCHES } from './pattern.js';

export const MAX_XML_PATH = 4_096;

export interface XmlQuery {
  path: string;
  /** All matches instead of the first. */
  all: boolean;
  /** Their text instead of their XML. */
  text: boolean;
}

/** Members that the library's types leave out. */
interface Result {
  numberValue(): number;
  stringValue(): string;
  booleanValue(): boolean;
  /** Present for sets of nodes only. */
  toUnsortedArray?(): Node[];
}
interface Expression {
  evaluate(options: object): Result;
}
const { parse } = xpath as unknown as { parse(path: string): Expression };

/** Compiles an XPath 1.0. Throws EvaluationError for any other text. */
export function compileXmlPath(path: string): Expression {
  if (path.length > MAX_XML_PATH) throw new EvaluationError(`An XPath may have ${MAX_XML_PATH} characters at most.`);
  try {
    return parse(path);
  } catch (error) {
    throw new EvaluationError(`"${path.slice(0, 100)}" is not a valid XPath: ${(error as Error).message}.`);
  }
}

const expressionOf = cached(500, compileXmlPath);

/** Parses XML without a document type, whose entities could grow without bound. */
export function parseXml(text: string): Document {
  const refuse = (level: string, message: string) => {
    if (level !== 'warning') throw new EvaluationError(message);
  };
  let document: Document;
  try {
    document = new DOMParser({ onError: refuse }).parseFromString(text.trim(), 'text/xml');
  } catch (error) {
    throw new EvaluationError(
      `The source is not valid XML: ${(error as Error).message.split('\n')[0]!.slice(0, 200)}.`,
    );
  }
  if (document.doctype) throw new EvaluationError('XML with a document type (DOCTYPE) is not read.');
  return document;
}

/** Matches of an XPath, relative to the root element. Names without a prefix match in every namespace. */
export function queryXml(document: Document, { path, all, text }: XmlQuery): JsonValue {
  const root = document.documentElement!;
  const namespaces = { getNamespace: (prefix: string) => root.lookupNamespaceURI(prefix) ?? undefined };
  const result = evaluate(expressionOf(path), path, { node: root, namespaces, allowAnyNamespaceForNoPrefix: true });
  if (!result.toUnsortedArray) {
    const value = scalar(result);
    return all ? [value] : value;
  }
  const nodes = inDocumentOrder(document, result.toUnsortedArray());
  const show = text ? textOf : xmlOf;
  if (!all) return nodes[0] ? show(nodes[0]) : null;
  if (nodes.length > MAX_MATCHES) throw new EvaluationError(`There are more than ${MAX_MATCHES} matches.`);
  return nodes.map(show);
}

function evaluate(expression: Expression, path: string, options: object): Result {
  try {
    return expression.evaluate(options);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new EvaluationError(`"${path.slice(0, 100)}" could not be evaluated: ${(error as Error).message}.`);
  }
}

function scalar(result: Result): JsonValue {
  const { name } = result.constructor;
  if (name === 'XBoolean') return result.booleanValue();
  // Infinite and undefined numbers have no JSON.
  if (name === 'XNumber' && Number.isFinite(result.numberValue())) return result.numberValue();
  return result.stringValue();
}

/** The library's own sorting takes quadratic time. */
function inDocumentOrder(document: Document, nodes: Node[]): Node[] {
  if (nodes.length < 2) return nodes;
  const ranks = new Map<Node, number>();
  let node: Node | null = document;
  while (node) {
    ranks.set(node, ranks.size);
    for (const attribute of (node as { attributes?: Iterable<Node> }).attributes ?? [])
      ranks.set(attribute, ranks.size);
    node = node.firstChild ?? after(node);
  }
  return nodes.sort((a, b) => ranks.get(a)! - ranks.get(b)!);
}

function after(node: Node): Node | null {
  let at: Node | null = node;
  while (at && !at.nextSibling) at = at.parentNode;
  return at?.nextSibling ?? null;
}

function textOf(node: Node): string {
  return node.textContent ?? node.nodeValue ?? '';
}

function xmlOf(node: Node): string {
  return new XMLSerializer().serializeToString(node).trim();
}
