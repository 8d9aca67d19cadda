import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import { type NormalizedSpan, SPAN_STATUSES } from './span.js';
import { readOutcome } from './errors.js';
import { testEvent, testSpan } from './test-span.fixture.js';

function outcome(attributes: JsonObject, fields: Partial<NormalizedSpan> = {}) {
  return readOutcome(testSpan(attributes, { statusCode: SPAN_STATUSES.ERROR, ...fields }), [], false);
}

describe('readOutcome', () => {
  it.each<[JsonObject, string | null, string]>([
    [{ 'error.type': '429' }, null, 'PROVIDER_RATE_LIMIT'],
    [{ 'error.type': 'RateLimitError' }, null, 'PROVIDER_RATE_LIMIT'],
    [{ 'exception.type': 'openai.RateLimitError' }, null, 'PROVIDER_RATE_LIMIT'],
    [{ 'http.response.status_code': 429 }, null, 'PROVIDER_RATE_LIMIT'],
    [{}, 'Error code: 429 - slow down', 'PROVIDER_RATE_LIMIT'],
    [{}, 'Error 429: slow down', 'PROVIDER_RATE_LIMIT'],
    [{}, 'Rate limit reached', 'PROVIDER_RATE_LIMIT'],
    [{ 'http.response.status_code': 429 }, 'insufficient_quota', 'PROVIDER_QUOTA_LIMIT'],
    [{ 'http.response.status_code': 401 }, null, 'PROVIDER_AUTH_ERROR'],
    [{ 'http.response.status_code': '403' }, null, 'PROVIDER_AUTH_ERROR'],
    [{ 'error.type': 'AuthenticationError' }, null, 'PROVIDER_AUTH_ERROR'],
    [{ 'error.type': 'timeout' }, null, 'PROVIDER_TIMEOUT'],
    [{ 'error.type': 'APITimeoutError' }, null, 'PROVIDER_TIMEOUT'],
    [{}, 'Request timed out.', 'PROVIDER_TIMEOUT'],
    [{ 'http.response.status_code': 400 }, null, 'PROVIDER_ERROR'],
    [{ 'error.type': '500' }, null, 'PROVIDER_ERROR'],
    [{ 'http.response.status_code': 200 }, null, 'UNKNOWN_ERROR'],
    [{ 'error.type': 'ValueError' }, 'prompt of 512 tokens', 'UNKNOWN_ERROR'],
    [{}, null, 'UNKNOWN_ERROR'],
  ])('classifies %j with message %j as %s', (attributes, statusMessage, errorType) => {
    expect(outcome(attributes, { statusMessage })).toEqual({ status: 'ERROR', errorType, errorMessage: statusMessage });
  });

  it('takes the message from the status, else from the exception, else from the attributes', () => {
    const events = [testEvent('exception', { 'exception.message': 'thrown', 'exception.type': 'RateLimitError' })];
    const attributes = { 'error.message': 'attribute' };
    expect(outcome(attributes, { events, statusMessage: 'status' }).errorMessage).toBe('status');
    expect(outcome(attributes, { events })).toMatchObject({ errorMessage: 'thrown', errorType: 'PROVIDER_RATE_LIMIT' });
    expect(outcome(attributes).errorMessage).toBe('attribute');
  });

  it('cuts the message at 1024 characters, never through a character', () => {
    expect(outcome({}, { statusMessage: 'x'.repeat(5000) }).errorMessage).toHaveLength(1024);
    expect(outcome({}, { statusMessage: `${'x'.repeat(1023)}😀` }).errorMessage).toBe('x'.repeat(1023));
  });

  it.each([
    [['stop'], 'SUCCESS', null, null],
    [['length'], 'WARNING', 'PROVIDER_PARTIAL_RESPONSE', null],
    [['stop', 'max_tokens'], 'WARNING', 'PROVIDER_PARTIAL_RESPONSE', null],
    [['content_filter'], 'WARNING', 'PROVIDER_PARTIAL_RESPONSE', 'The model refused to answer: content_filter'],
    [['content-filter'], 'WARNING', 'PROVIDER_PARTIAL_RESPONSE', 'The model refused to answer: content-filter'],
    [['SAFETY'], 'WARNING', 'PROVIDER_PARTIAL_RESPONSE', 'The model refused to answer: SAFETY'],
    [['MALFORMED_FUNCTION_CALL'], 'WARNING', 'PROVIDER_PARTIAL_RESPONSE', null],
    [['other'], 'SUCCESS', null, null],
    [['error'], 'ERROR', 'PROVIDER_ERROR', 'error'],
    [[], 'SUCCESS', null, null],
  ])('finished for %j: %s', (reasons, status, errorType, errorMessage) => {
    for (const answered of [true, false]) {
      expect(readOutcome(testSpan({}), reasons, answered)).toEqual({ status, errorType, errorMessage });
    }
  });
});
