import { readFile, stat } from 'node:fs/promises';
import { Inject, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { updatePrices, waitForUpdate } from '@pydantic/genai-prices';
import { z } from 'zod';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { readJson } from '../../platform/read-json.js';
import { StartError } from '../../platform/start-error.js';
import { forgetKnownModels } from './built-in-prices.js';

/** The source of the public prices, and their date. */
export interface PriceSource {
  source: string;
  writtenAt: Date;
}

/** The table that comes with the server. A test compares it with the installed package. */
export const PACKAGE: PriceSource = {
  source: '@pydantic/genai-prices 0.1.8',
  writtenAt: new Date('2026-09-23T10:11:04Z'),
};

const rate = z.number().min(0);
const tiers = z.looseObject({ base: rate, tiers: z.array(z.looseObject({ start: rate, price: rate })) });
const rates = z.record(z.string(), z.union([rate, tiers]));
const model = z.looseObject({
  id: z.string(),
  match: z.looseObject({}),
  prices: z.union([z.array(z.looseObject({ prices: rates })), rates]),
});
const table = z.array(z.looseObject({ id: z.string(), models: z.array(model) })).min(1);

type Providers = NonNullable<Awaited<ReturnType<typeof waitForUpdate>>>;

let setProviders: (providers: Providers) => void = () => {};
updatePrices(({ setProviderData }: { setProviderData: typeof setProviders }) => {
  setProviders = setProviderData;
});

/**
 * The public prices of PRICES_FILE, in place of those that come with the server. The file may change at any time. A
 * file that cannot be read does not change the prices.
 */
@Injectable()
export class PriceFile implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger(PriceFile.name);
  private current = PACKAGE;
  private bundled: Providers | null = null;
  private loaded: Providers | null = null;
  private seen = '';

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  get source(): PriceSource {
    return this.current;
  }

  /** All models with a public price. */
  async table(): Promise<Providers> {
    return this.loaded ?? (await waitForUpdate()) ?? [];
  }

  /** Throws a StartError when the file cannot be used: wrong prices would be stored permanently. */
  async onModuleInit(): Promise<void> {
    if (this.config.pricesFile === '') return;
    this.bundled = await waitForUpdate();
    try {
      await this.load();
    } catch (error) {
      throw new StartError(`PRICES_FILE cannot be used: ${messageOf(error)}`);
    }
  }

  onModuleDestroy(): void {
    if (this.bundled) use(this.bundled);
  }

  /** Loads the file when it has changed. Never throws. */
  async refresh(): Promise<void> {
    if (this.config.pricesFile === '') return;
    await this.load().catch((error: unknown) => {
      this.log.warn(`PRICES_FILE cannot be used, and prices stay as they are: ${messageOf(error)}`);
    });
  }

  private async load(): Promise<void> {
    const path = this.config.pricesFile;
    const { mtime, size } = await stat(path);
    const seen = `${mtime.getTime()}/${size}`;
    if (seen === this.seen) return;
    // Stored before the file is read, so that an invalid file is logged once.
    this.seen = seen;
    this.loaded = table.parse(readJson(await readFile(path, 'utf8'))) as unknown as Providers;
    use(this.loaded);
    this.current = { source: 'PRICES_FILE', writtenAt: mtime };
  }
}

function use(providers: Providers): void {
  setProviders(providers);
  forgetKnownModels();
}

function messageOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error).slice(0, 300);
  return error instanceof Error ? error.message : String(error);
}
