import { DateTimeField, EnumField, IntegerField, NumberField, TextField } from '../platform/http/fields.js';
import { type Test, TESTS, type Verdict, VERDICTS } from './judge.js';

/** The verdict of an evaluation on the items of a window. */
export class VerdictBody {
  @EnumField(VERDICTS, {
    description:
      '`breach` opens alerts. `few`: less than `least_items`. `learning`: too few data of earlier weeks, for example because of retention.',
  })
  verdict: Verdict['kind'];

  @NumberField({ nullable: true, description: 'The figure, in the unit of the measure; null without items.' })
  figure: number | null;

  @NumberField({ nullable: true, description: 'Figures below it are unusual; null if there is no such end.' })
  expected_low: number | null;

  @NumberField({ nullable: true, description: 'Figures above it are unusual; null if there is no such end.' })
  expected_high: number | null;

  @IntegerField({ description: 'The number of items that the figure is made of.' })
  items: number;

  @EnumField(TESTS, { description: 'How the figure was judged.' })
  test: Test;

  @NumberField({
    nullable: true,
    description: 'Probability of a figure at least as unusual by chance, or an upper bound on it; null for limits.',
  })
  probability: number | null;

  @DateTimeField({
    description: 'The start of the window. A comparison with earlier weeks may have found a longer window.',
  })
  window_start: string;

  @DateTimeField({ description: 'The end of the window, exclusive.' })
  window_end: string;

  @TextField({
    nullable: true,
    description: 'The path of the list of these items in the console; null for filters that its URL cannot state.',
    example: '/console/logs?status=ERROR&from=2026-03-01T10%3A00%3A00.000Z&to=2026-03-01T11%3A00%3A00.000Z',
  })
  items_path: string | null;
}

export function toVerdictBody(
  { kind, figure, band, items, test, probability, window }: Verdict,
  path: string | null,
): VerdictBody {
  return {
    verdict: kind,
    figure,
    expected_low: band.low,
    expected_high: band.high,
    items,
    test,
    probability,
    window_start: new Date(window.from).toISOString(),
    window_end: new Date(window.to).toISOString(),
    items_path: path,
  };
}
