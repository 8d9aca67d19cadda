import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { quantile } from './report.js';

/** A page whose main thread and frames are measured. */
export class MeasuredPage {
  private constructor(
    readonly page: Page,
    private readonly cdp: CDPSession,
  ) {}

  /** A page of a browser without cookies and cache, at 1440 × 900. */
  static async open(browser: Browser, baseURL: string): Promise<MeasuredPage> {
    return MeasuredPage.in(await browser.newContext({ baseURL, viewport: { width: 1440, height: 900 } }));
  }

  static async in(context: BrowserContext): Promise<MeasuredPage> {
    const page = await context.newPage();
    // Pages of one site share a process: what is measured begins and ends in the same one.
    await page.goto('/health/live');
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new MeasuredPage(page, cdp);
  }

  /** Milliseconds of processor time of the main thread while `work` runs. */
  async cpu(work: () => Promise<unknown>): Promise<number> {
    const before = await this.taskSeconds();
    await work();
    return ((await this.taskSeconds()) - before) * 1000;
  }

  /** Milliseconds from `act` to the frame after which `condition`, JavaScript of the page, holds. */
  async untilPainted(condition: string, act: () => Promise<unknown>): Promise<number> {
    const start = await this.page.evaluate<number>('performance.now()');
    const painted = this.painted(condition);
    await act();
    return (await painted) - start;
  }

  /** Milliseconds since the page was opened at which a frame was drawn while `condition` held. */
  painted(condition: string): Promise<number> {
    return this.page.evaluate<number>(`new Promise((done) => {
      const look = () => (${condition})
        ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
        : requestAnimationFrame(look);
      look();
    })`);
  }

  /** Scrolls by so many pixels in every frame. */
  async scroll(selector: string, [x, y]: [number, number], frames = 200): Promise<Frames> {
    let gaps: number[] = [];
    const cpu = await this.cpu(async () => {
      gaps = await this.page.evaluate<number[]>(`new Promise((done) => {
        const element = document.querySelector('${selector}');
        const gaps = [];
        let last;
        const step = (now) => {
          if (last !== undefined) gaps.push(now - last);
          last = now;
          if (gaps.length === ${frames}) return done(gaps);
          element.scrollBy(${x}, ${y});
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      })`);
    });
    const elements = await this.page.evaluate<number>(`document.querySelectorAll('*').length`);
    return { gaps, cpu: cpu / frames, elements };
  }

  close(): Promise<void> {
    return this.page.context().close();
  }

  private async taskSeconds(): Promise<number> {
    const { metrics } = await this.cdp.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  }
}

export interface Frames {
  /** Milliseconds from frame to frame. */
  gaps: number[];
  /** Milliseconds of processor time of the main thread, a frame. */
  cpu: number;
  /** In the page once it was scrolled. */
  elements: number;
}

export function describeFrames({ gaps, cpu, elements }: Frames): string {
  const [middle, late] = [quantile(gaps, 0.5), quantile(gaps, 0.95)].map((gap) => gap.toFixed(1));
  return `p50 ${middle}, p95 ${late} ms a frame, ${cpu.toFixed(1)} ms CPU, ${elements} elements`;
}
