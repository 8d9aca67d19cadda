import { DecimalSum } from './decimal-sum.js';
import { floorDivide, type TimeRange } from './histogram-range.js';
import { LatencySketch } from './latency-sketch.js';

interface Sums {
  count: string;
  failed: string;
  unpriced: string;
  cost: string;
  input_tokens: string;
  output_tokens: string;
}

/** Sums of rows with a class of latency. */
export interface ClassSums extends Sums {
  latency: number | null;
}

/** Sums of hours. */
export interface HourSumsRow extends Sums {
  latencies: Buffer;
}

interface InBucket {
  /** Number of the bucket since 1970. */
  bucket: number;
}
export type ClassRow = ClassSums & InBucket;
export type HoursRow = HourSumsRow & InBucket;

export interface HistogramBucket {
  /** Microseconds since 1970. */
  start: bigint;
  count: number;
  failed: number;
  unpriced: number;
  /** US dollars. */
  cost: number;
  inputTokens: number;
  outputTokens: number;
  /** Milliseconds; null without known latencies. */
  p50: number | null;
  p95: number | null;
}

/** Collects what is known of the buckets of a range. */
export class HistogramBuckets {
  private readonly buckets = new Map<number, BucketSums>();
  /** Start of the counted part. Earlier rows have not been counted. */
  countedFrom: bigint;
  isPartial = false;

  constructor(private readonly time: { range: TimeRange; width: bigint }) {
    this.countedFrom = time.range.from;
  }

  addClasses(rows: ClassRow[]): void {
    for (const row of rows) this.bucketOf(row).addClass(row);
  }

  addHours(rows: HoursRow[]): void {
    for (const row of rows) this.bucketOf(row).addHour(row);
  }

  /** Says that something before this moment has not been counted: the bucket that it lies in is not complete. */
  forgetUpTo(moment: bigint): void {
    const { width, range } = this.time;
    const next = -floorDivide(-moment, width) * width;
    this.countedFrom = next < range.to ? next : range.to;
    this.isPartial = true;
  }

  /** The complete ones, the oldest first, also those without rows. */
  list(): HistogramBucket[] {
    const { range, width } = this.time;
    const list: HistogramBucket[] = [];
    for (let number = floorDivide(this.countedFrom, width); number * width < range.to; number++) {
      list.push({ start: number * width, ...(this.buckets.get(Number(number)) ?? new BucketSums()).toNumbers() });
    }
    return list;
  }

  private bucketOf({ bucket: number }: InBucket): BucketSums {
    let bucket = this.buckets.get(number);
    if (!bucket) this.buckets.set(number, (bucket = new BucketSums()));
    return bucket;
  }
}

/** Adds up what is known of rows that go together. */
export class BucketSums {
  private readonly latencies = new LatencySketch();
  private readonly cost = new DecimalSum();
  private count = 0;
  private failed = 0;
  private unpriced = 0;
  private inputTokens = 0;
  private outputTokens = 0;

  addClass(row: ClassSums): void {
    this.add(row);
    this.latencies.add(row.latency, Number(row.count));
  }

  addHour(row: HourSumsRow): void {
    this.add(row);
    this.latencies.addPacked(row.latencies);
  }

  toNumbers(): Omit<HistogramBucket, 'start'> {
    const { count, failed, unpriced, inputTokens, outputTokens, latencies } = this;
    const cost = this.cost.toNumber();
    return {
      count,
      failed,
      unpriced,
      cost,
      inputTokens,
      outputTokens,
      p50: latencies.quantile(0.5),
      p95: latencies.quantile(0.95),
    };
  }
  private add(row: Sums): void {
    this.count += Number(row.count);
    this.failed += Number(row.failed);
    this.unpriced += Number(row.unpriced);
    this.inputTokens += Number(row.input_tokens);
    this.outputTokens += Number(row.output_tokens);
    this.cost.add(row.cost);
  }
}
