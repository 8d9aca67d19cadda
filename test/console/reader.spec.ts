import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { llmSpan, send, span, spanId, text, traceId } from '../support/otlp.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

const SESSION = 'kettle';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const INSTRUCTIONS = Array.from({ length: 18 }, (_, at) => `Rule ${at + 1}: be kind.`).join('\n');
const ANSWER = [
  '# Refund',
  '',
  'The spout is **cracked**, see [the policy](https://shop.example/policy) and [this](javascript:alert(1)).',
  '',
  '<img src=x onerror="document.title=1">',
  '',
  '1. Order `10023`',
  '2. ![kettle](https://pictures.example/kettle.png)',
].join('\n');

const INPUT = [
  { role: 'system', parts: [{ type: 'text', content: INSTRUCTIONS }] },
  {
    role: 'user',
    parts: [
      { type: 'text', content: 'Here is a picture of it' },
      { type: 'blob', modality: 'image', mime_type: 'image/png', content: PIXEL },
      { type: 'uri', modality: 'image', uri: 'https://pictures.example/second.png' },
    ],
  },
  {
    role: 'assistant',
    parts: [
      { type: 'tool_call', id: 'call_1', name: 'lookup_order', arguments: { order_id: 10023, include: ['items'] } },
    ],
  },
  {
    role: 'tool',
    parts: [
      { type: 'tool_call_response', id: 'call_1', response: { status: 'delivered', total: 42.9, items: [1, 2, 3] } },
    ],
  },
];

function turn(): { trace: string; retrieval: string; spans: object[] } {
  const [trace, retrieval] = [traceId(), spanId()];
  const start = BigInt(Date.now() - 60_000) * 1_000_000n;
  const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 2_200_000_000n) };
  const root = llmSpan(
    {
      more: {
        'session.id': SESSION,
        'gen_ai.input.messages': JSON.stringify(INPUT),
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: ANSWER }] }]),
        'gen_ai.tool.definitions': JSON.stringify([
          { type: 'function', name: 'lookup_order', description: 'Finds an order.', parameters: { type: 'object' } },
        ]),
        'gen_ai.request.temperature': '0.7',
      },
    },
    { ...times, traceId: trace },
  );
  const found = [1, 2, 3, 4, 5, 6, 7].flatMap((each, at) => [
    text(`retrieval.documents.${at}.document.content`, `Returns of damaged goods, part ${each}`),
    { key: `retrieval.documents.${at}.document.score`, value: { doubleValue: 1 - each / 10 } },
  ]);
  const attributes = [text('openinference.span.kind', 'RETRIEVER'), text('input.value', 'broken kettle'), ...found];
  const child = { ...times, traceId: trace, spanId: retrieval, parentSpanId: root.spanId, name: 'search', attributes };
  return { trace, retrieval, spans: [root, span(child)] };
}

describe.skipIf(isBrowserMissing())('the reader of messages', () => {
  let console: ConsoleApp;
  const { trace, retrieval, spans } = turn();
  beforeAll(async () => {
    console = await ConsoleApp.start();
    await send(console.app.client, spans);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const message = (page: Page, role: string) => page.locator(`.reader-message[data-role=${role}]`);

  it('distinguishes roles, folds long texts, and shows a call next to its result', async () => {
    const page = await console.openSigned(`/console/conversations/${SESSION}`);
    await message(page, 'system').getByText('Rule 1: be kind.').waitFor();
    if (process.env.PICTURES) await takePicture(page, 'reader');
    expect(await message(page, 'system').innerText()).not.toContain('Rule 18');
    await message(page, 'system').getByRole('button', { name: 'Show all 18 lines' }).click();
    await message(page, 'system').getByText('Rule 18').waitFor();
    const picture = message(page, 'user').getByRole('img');
    expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    const remote = message(page, 'user').getByRole('link', { name: 'Open the image at pictures.example' });
    expect(await remote.getAttribute('rel')).toContain('noreferrer');
    const call = message(page, 'assistant').first().locator('.tool-call');
    expect(await call.innerText()).toMatch(
      /call\s+lookup_order:[^]*result[^]*status: "delivered", total: 42\.9, items: \[ 3 \]/,
    );
    expect(await message(page, 'tool').count()).toBe(0);
    await call.getByText('status: "delivered"').click();
    await call.getByText('delivered', { exact: true }).waitFor();
    await page.getByText('Tools 1').click();
    await page.getByText('Finds an order.').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('z');
    await page.getByRole('button', { name: 'Open all' }).waitFor();
    expect(await page.locator('.folded').count()).toBe(2);
    await page.keyboard.press('o');
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('turn');
  });

  it('shows Markdown when asked, without HTML, dangerous links or pictures of others', async () => {
    const page = await console.openSigned(`/console/conversations/${SESSION}`);
    const answer = message(page, 'assistant').last();
    await answer.getByText('# Refund').waitFor();
    await answer.getByRole('button', { name: 'Markdown' }).click();
    await answer.getByRole('heading', { name: 'Refund' }).waitFor();
    expect(await answer.locator('ol li').count()).toBe(2);
    expect(await answer.locator('img').count()).toBe(0);
    expect(await answer.innerText()).toContain('<img src=x');
    const links = await answer.getByRole('link').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(links).toEqual(['https://shop.example/policy', 'https://pictures.example/kettle.png']);
    await expectAccessible(page);
    if (process.env.PICTURES) await takePicture(page, 'reader-markdown');
    await answer.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(ANSWER);
  });

  it('shows documents of a retrieval with their scores, in a panel as wide as wanted', async () => {
    const page = await console.openSigned(`/console/traces/${trace}?span=${retrieval}`);
    const panel = page.getByRole('complementary', { name: 'Span' });
    const documents = panel.getByRole('region', { name: 'Documents' });
    await documents.getByText('0.9', { exact: true }).waitFor();
    await documents.getByRole('button', { name: 'Show 2 more' }).click();
    expect(await documents.locator('details').count()).toBe(7);
    await panel.getByText('broken kettle').first().waitFor();
    const width = async () => (await panel.boundingBox())!.width;
    const before = await width();
    await panel.getByRole('separator', { name: 'Width of the panel' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await width()).toBeGreaterThan(before);
    const wider = await width();
    if (process.env.PICTURES) await takePicture(page, 'reader-documents');
    await expectAccessible(page);
    await page.reload();
    await documents.waitFor();
    expect(await width()).toBe(wider);
  });
});
