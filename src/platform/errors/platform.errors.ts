import { defineErrors } from './problem.js';

const RETRY_SOON = { 'retry-after': '2' };

/** Errors of any route. */
export const PlatformErrors = defineErrors({
  route_not_found: {
    status: 404,
    message: (route: string) => `There is no route ${route}. GET /docs shows those that there are.`,
  },
  method_not_allowed: {
    status: 405,
    message: (method: string, path: string, allowed: string) =>
      `${path} does not take ${method}. It takes ${allowed}; GET /docs shows what each of them does.`,
  },
  request_unreadable: { status: 400, message: 'The request is not valid HTTP.' },
  metrics_closed: {
    status: 401,
    message:
      'Metrics are for programs on the same machine and for holders of the metrics token: send Authorization: Bearer <METRICS_TOKEN>.',
  },
  request_too_slow: {
    status: 408,
    message:
      'The request did not arrive in time, or too slowly (HEADERS_TIME_LIMIT_MS, BODY_TIME_LIMIT_MS, BODY_LEAST_BYTES_PER_SECOND). Send it again, faster.',
    headers: { connection: 'close' },
  },
  headers_too_large: {
    status: 431,
    message: (limit: number) =>
      `The URL and the headers are together larger than ${limit} bytes. Send long filters in the body of a POST.`,
  },
  validation_error: { status: 400, message: (faults: string) => faults },
  url_unreadable: { status: 400, message: 'The URL cannot be decoded or is too long.' },
  json_unreadable: { status: 400, message: 'The body is not valid JSON.' },
  json_too_deep: {
    status: 400,
    message: (limit: number) => `The body nests deeper than ${limit} levels or holds too many values.`,
  },
  form_unreadable: {
    status: 400,
    message: (problem: string) => `The body is not a valid multipart/form-data form: ${problem}.`,
  },
  form_json_unreadable: {
    status: 400,
    message: (part: string) => `The part "${part}" of the form is not valid JSON.`,
  },
  form_part_unknown: {
    status: 400,
    message: (given: string, known: string) => `The form has a file in the part "${given}". Send it as "${known}".`,
  },
  form_part_repeated: {
    status: 400,
    message: (part: string) => `The form has the part "${part}" twice, or under two names. Send one.`,
  },
  encoding_unreadable: {
    status: 400,
    message: 'The body cannot be decompressed: it is not what the header Content-Encoding says.',
  },
  body_too_large: {
    status: 413,
    message: (limit: number) => `The body is larger than ${limit} bytes, as sent or after decompression.`,
  },
  body_of_file_too_large: {
    status: 400,
    message: (limit: number) => `The file is too large: the body that holds it is larger than ${limit} bytes.`,
  },
  media_type_unsupported: {
    status: 415,
    message: (given: string) => `The content type "${given}" is not supported here. Send application/json.`,
  },
  encoding_unsupported: {
    status: 415,
    message: (given: string) => `The content encoding "${given}" is not supported. Send gzip, deflate or no encoding.`,
  },
  cursor_invalid: {
    status: 400,
    message: 'The cursor is not valid for this list, sort order and filters. Start again without a cursor.',
  },
  rate_limited: {
    status: 429,
    message: (limit: number, noun: string, setting: string | null) =>
      `Rate limit exceeded. This key may make ${limit} ${noun} a minute${setting === null ? '' : ` (${setting})`}; the header Retry-After says when the next is possible.`,
  },
  event_streams_exceeded: {
    status: 429,
    message: (limit: number) =>
      `This key may follow ${limit} operations at the same time (EVENT_STREAMS_PER_KEY). End one of the streams, or read the operation itself now and then.`,
    headers: { 'retry-after': '5' },
  },
  idempotency_key_invalid: { status: 400, message: 'The Idempotency-Key must have 1 to 255 visible ASCII characters.' },
  idempotency_key_reused: {
    status: 400,
    message: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 503,
    message: 'A request with this Idempotency-Key is still being worked on. Retry in a moment.',
    headers: RETRY_SOON,
  },
  database_unavailable: {
    status: 503,
    message: 'The database cannot be reached at the moment. Please retry.',
    headers: RETRY_SOON,
  },
  storage_unavailable: {
    status: 503,
    message:
      'The server cannot store anything at the moment, for example because its disk is full. Nothing was stored, and reading goes on. Please retry.',
    headers: { 'retry-after': '10' },
  },
  database_contended: {
    status: 503,
    message: 'Too many requests change the same things at the moment, and nothing was changed. Please retry.',
    headers: RETRY_SOON,
  },
  reading_timeout: {
    status: 503,
    message: (limitMs: number) =>
      `Reading this took longer than ${limitMs} ms. Narrow the time range or the filters, or try again when the server has less to do.`,
    headers: { 'retry-after': '30' },
  },
  reading_busy: {
    status: 503,
    message: 'Too many long reads are running at the moment. Please retry.',
    headers: { 'retry-after': '5' },
  },
  client_gone: {
    status: 499,
    message: 'The client closed the connection before the answer was ready. Reading it was stopped.',
  },
  memory_exhausted: {
    status: 503,
    message: 'The server is taking in as much as its memory allows. Nothing was stored; please retry.',
    headers: { 'retry-after': '1' },
  },
  memory_share_exhausted: {
    status: 503,
    message: (bytes: number) =>
      `Too many request bytes in flight for this key or address (limit ${bytes}, BODY_MEMORY_SHARE_PERCENT). Nothing was stored; retry when earlier requests finish.`,
    headers: { 'retry-after': '1' },
  },
  internal_error: {
    status: 500,
    message: (requestId: string) =>
      `Something went wrong on the server. Mention request ${requestId} when you report it.`,
  },
});
