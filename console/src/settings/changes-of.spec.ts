import { describe, expect, it } from 'vitest';
import { changesOf } from './changes-of';

describe('the changes of a form', () => {
  it('are the fields that differ from the stored ones', () => {
    const drawn = { id: 7, name: null, limit: 5, networks: ['10.0.0.0/8'] };
    expect(changesOf({ name: 'Exporter', limit: 5, networks: ['10.0.0.0/8'] }, drawn)).toEqual({ name: 'Exporter' });
    expect(changesOf({ name: null, limit: null, networks: [] }, drawn)).toEqual({ limit: null, networks: [] });
  });

  it('include fields that are never read back, and no list in another order', () => {
    const drawn = { roles: ['b', 'a'], options: { region: 'eu' } };
    expect(changesOf({ roles: ['a', 'b'], options: { region: 'eu' } }, drawn)).toEqual({});
    expect(changesOf({ secret: 'typed', options: { region: 'us' } }, drawn)).toEqual({
      secret: 'typed',
      options: { region: 'us' },
    });
  });
});
