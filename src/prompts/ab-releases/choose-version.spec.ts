import { describe, expect, it } from 'vitest';
import { chooseVersion, type Segment, type Share } from './choose-version.js';

const share = (prompt_version_number: number, percentage: number): Share => ({ prompt_version_number, percentage });

describe('the version of a request', () => {
  it('is drawn by the percentages, to the hundredth', () => {
    const release = { split: [share(1, 0), share(2, 33.33), share(3, 66.67)], segments: [] };
    const drawn = [0, 3332, 3333, 9999].map((draw) => chooseVersion(release, {}, draw));
    expect(drawn).toEqual([2, 2, 3, 3]);
    const all = Array.from({ length: 10_000 }, (_, draw) => chooseVersion(release, {}, draw));
    expect(all.filter((version) => version === 2)).toHaveLength(3333);
  });

  it('is that of the first segment whose metadata all match', () => {
    const segments: Segment[] = [
      { metadata: { tier: 'gold', region: 'eu' }, split: [share(2, 100)] },
      { metadata: { tier: 'gold' }, split: [share(3, 100)] },
      { metadata: { seats: '7' }, split: [share(4, 100)] },
    ];
    const release = { split: [share(1, 100)], segments };
    const version = (metadata: object) => chooseVersion(release, metadata as never);
    expect(version({ region: 'eu', tier: 'gold', more: 'x' })).toBe(2);
    expect(version({ tier: 'gold', region: 'us' })).toBe(3);
    expect(version({ seats: 7 })).toBe(4);
    for (const other of [{}, { tier: 'Gold' }, { tier: null }, { region: 'eu' }]) expect(version(other)).toBe(1);
  });
});
