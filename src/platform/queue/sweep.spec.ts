import { Injectable, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG } from '../config/config.js';
import { Sweep, SweepRunner } from './sweep.js';

/** A sweep whose runs wait until the test ends them. */
@Injectable()
class Cleaner {
  /** Ends of the runs, in the order in which they began. */
  readonly runs: { end: () => void; fail: (error: Error) => void }[] = [];
  windows = 0;

  @Sweep('floors')
  floors(): Promise<void> {
    return new Promise((end, fail) => this.runs.push({ end, fail }));
  }

  @Sweep('windows')
  async inside(): Promise<void> {
    this.windows += 1;
  }

  @Sweep('windows')
  async outside(): Promise<void> {
    this.windows += 10;
  }
}

const AN_HOUR = 3_600_000;

async function start(sweepIntervalMs: number) {
  @Module({
    imports: [DiscoveryModule],
    providers: [Cleaner, SweepRunner, { provide: CONFIG, useValue: { sweepIntervalMs } }],
  })
  class HouseModule {}
  return NestFactory.createApplicationContext(HouseModule, { logger: false });
}

let app: Awaited<ReturnType<typeof start>>;
let cleaner: Cleaner;
let runner: SweepRunner;
beforeEach(async () => {
  app = await start(AN_HOUR);
  cleaner = app.get(Cleaner);
  runner = app.get(SweepRunner);
});
afterEach(async () => {
  cleaner.runs.forEach(({ end }) => end());
  await app.close();
});

/** Lets the callbacks of settled promises run. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('sweeps', () => {
  it('run once at the start', () => {
    expect(cleaner.windows).toBe(11);
    expect(cleaner.runs).toHaveLength(1);
  });

  it('run again and again, but not while the last run lasts', async () => {
    const busy = await start(1);
    await expect.poll(() => busy.get(Cleaner).windows).toBeGreaterThan(33);
    expect(busy.get(Cleaner).runs).toHaveLength(1);
    busy.get(Cleaner).runs[0]!.end();
    await expect.poll(() => busy.get(Cleaner).runs.length).toBe(2);
    busy.get(Cleaner).runs[1]!.end();
    await busy.close();
  });

  it('run when they have the requested name, and not otherwise', async () => {
    await runner.run('windows');
    expect(cleaner.windows).toBe(22);
    expect(cleaner.runs).toHaveLength(1);
  });

  it('run once more after the run that is under way, and are waited for', async () => {
    let isDone = false;
    const run = runner.run('floors').then(() => (isDone = true));
    await nextTurn();
    expect(cleaner.runs).toHaveLength(1);
    cleaner.runs[0]!.end();
    await nextTurn();
    expect(cleaner.runs).toHaveLength(2);
    expect(isDone).toBe(false);
    cleaner.runs[1]!.end();
    await run;
  });

  it('are still one at a time when several ask for them', async () => {
    const both = Promise.all([runner.run('floors'), runner.run('floors')]);
    for (let ended = 0; ended < 3; ended++) {
      expect(cleaner.runs).toHaveLength(ended + 1);
      cleaner.runs[ended]!.end();
      await nextTurn();
    }
    await both;
  });

  it('are waited for when the process stops', async () => {
    const stopping = await start(AN_HOUR);
    let isStopped = false;
    const stopped = stopping.close().then(() => (isStopped = true));
    await nextTurn();
    expect(isStopped).toBe(false);
    stopping.get(Cleaner).runs[0]!.end();
    await stopped;
  });

  it('reject when the run that was asked for fails, not when the run before it fails', async () => {
    const run = runner.run('floors');
    cleaner.runs[0]!.fail(new Error('The bucket leaks.'));
    await nextTurn();
    cleaner.runs[1]!.fail(new Error('The mop broke.'));
    await expect(run).rejects.toThrow('The mop broke.');
  });

  it('are refused by an unknown name, and the error lists the names', async () => {
    await expect(runner.run('doors')).rejects.toThrow('No sweep is named doors. There are: floors, windows.');
  });
});
