import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../src/embedded/api-client.js';
import { addExampleData } from '../../src/embedded/demo/demo.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

/** Screens after the first start of the product. The README shows these pictures: `PICTURES=docs/pictures`. */
describe.skipIf(isBrowserMissing())('the example data in the console', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    await addExampleData(new ApiClient([console.url], console.app.apiKey, { waitLimitMs: 240_000 }));
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  it('is shown on Today', async () => {
    const page = await console.openSigned('/console/');
    await page.locator('.tile').filter({ hasText: 'Requests' }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page);
    await takePicture(page, 'today');
  });

  it('has traces that open as waterfalls', async () => {
    const { items } = (await console.app.client.post('/api/public/v2/traces/search', { q: 'broken glasses' })) as {
      items: { trace_id: string; name: string }[];
    };
    const { trace_id: id } = items.find(({ name }) => name === 'settle claim')!;
    const page = await console.openSigned(`/console/traces/${id}`);
    await page.getByText('invoke_agent refunds').click();
    await page.getByText('Attributes').waitFor();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page);
    await takePicture(page, 'trace');
  });

  it('has a sheet whose columns were computed', async () => {
    const page = await console.openSigned('/console/tables');
    await page.getByRole('link', { name: 'Support answers' }).click();
    await page.getByRole('gridcell').filter({ hasText: 'refund' }).first().waitFor();
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page.getByRole('complementary', { name: 'Score' }).waitFor();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page);
    await takePicture(page, 'sheet');
  });
});
