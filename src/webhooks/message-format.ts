import { canonicalJson } from '../platform/canonical-json.js';
import { readJson } from '../platform/read-json.js';
import type { JsonObject, JsonValue } from '../platform/json.js';

/** Formats of events: JSON, or a message for the incoming webhooks of a chat system. */
export const FORMATS = ['json', 'slack', 'teams'] as const;
export type Format = (typeof FORMATS)[number];

const MAIL = 'mailto:';
/** Maximum length of a text. Chat systems show it in full. */
const LONGEST_TEXT = 2000;
const MOST_DETAILS = 6;

/** The address of a receiver that is an e-mail address; null for URLs. */
export const mailAddress = (url: string): string | null => (url.startsWith(MAIL) ? url.slice(MAIL.length) : null);

/** Excludes characters that could add another header or another recipient. */
const ADDRESS = /^[^\s@,;:<>"()[\]\\]+@[^\s@,;:<>"()[\]\\]+\.[^\s@,;:<>"()[\]\\]+$/;
const LONGEST_ADDRESS = 254;

export const isMailAddress = (text: string): boolean => text.length <= LONGEST_ADDRESS && ADDRESS.test(text);

/** An e-mail as a delivery stores it. */
export interface MailBody {
  subject: string;
  text: string;
}

/** Reads the stored e-mail of a delivery. Returns the body as the text if the webhook had a URL when it was stored. */
export function toMail(body: string): MailBody {
  const { subject, text } = readJson(body) as Partial<Record<keyof MailBody, JsonValue>>;
  return typeof subject === 'string' && typeof text === 'string' ? { subject, text } : { subject: 'Event', text: body };
}

/** Makes the exact body of a delivery to this receiver. */
export function bodyFor({ url, format }: { url: string; format: Format }, envelope: JsonObject): string {
  const told = toldBy(envelope);
  if (mailAddress(url) !== null) {
    const lines = [told.text, ...told.links.map(({ title, url: link }) => `${title}: ${link}`)];
    return canonicalJson({ subject: told.text.slice(0, 200), text: lines.join('\n\n') });
  }
  if (format === 'slack') return canonicalJson(blockMessage(told));
  return format === 'teams' ? canonicalJson(cardMessage(told)) : canonicalJson(envelope);
}

interface Told {
  text: string;
  links: { title: string; url: string }[];
}

/** Describes an event: by its own sentence, or else by its type and its first details. */
function toldBy({ event_type: type, details }: JsonObject): Told {
  const told = (details ?? {}) as JsonObject;
  const links = [
    { title: 'Open', url: told.url },
    { title: 'Show the items', url: told.items_url },
  ].filter((link): link is Told['links'][number] => typeof link.url === 'string' && /^https?:/.test(link.url));
  const text = typeof told.text === 'string' ? told.text : describe(String(type), told);
  return { text: text.slice(0, LONGEST_TEXT), links };
}

function describe(type: string, details: JsonObject): string {
  const plain = Object.entries(details)
    .filter(([, value]) => isPlain(value))
    .slice(0, MOST_DETAILS);
  const title = type.replaceAll('_', ' ');
  if (plain.length === 0) return title;
  return `${title}: ${plain.map(([key, value]) => `${key.replaceAll('_', ' ')} ${String(value)}`).join(', ')}`;
}

const isPlain = (value: JsonValue | undefined): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Escapes texts, because names in them must not become mentions or links. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function blockMessage({ text, links }: Told): JsonObject {
  const shown = escaped(text);
  const buttons = links.map(({ title, url }) => ({ type: 'button', text: { type: 'plain_text', text: title }, url }));
  return {
    text: shown,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: shown } },
      ...(buttons.length === 0 ? [] : [{ type: 'actions', elements: buttons }]),
    ],
  };
}

function cardMessage({ text, links }: Told): JsonObject {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text, wrap: true }],
    actions: links.map(({ title, url }) => ({ type: 'Action.OpenUrl', title, url })),
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}
