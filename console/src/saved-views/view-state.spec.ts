import { describe, expect, it } from 'vitest';
import { isChanged, placeOf, queryOf, stateOf } from './view-state';

const DEFAULTS = { q: '', status: '', sort: 'start', id: '', adding: '', view: '' };
const VIEW = { id: 'v1', query: { status: 'ERROR', sort: 'cost' } };

describe('a saved view', () => {
  it('keeps what differs from the defaults, and neither the open item nor an import', () => {
    const state = { ...DEFAULTS, q: 'a', sort: 'cost', id: '7', adding: 'x.y.z', view: 'v1' };
    expect(queryOf(state, DEFAULTS)).toEqual({ q: 'a', sort: 'cost' });
  });

  it('is a state of its screen, whatever else was saved', () => {
    const query = { ...VIEW.query, id: '7', gone: 'x', toString: 'y' };
    expect(stateOf({ id: 'v1', query }, DEFAULTS)).toEqual({ ...DEFAULTS, ...VIEW.query, view: 'v1' });
  });

  it('is changed by another value, by one more and by one less', () => {
    const shown = stateOf(VIEW, DEFAULTS);
    expect(isChanged(shown, DEFAULTS, VIEW)).toBe(false);
    expect(isChanged({ ...shown, id: '7', adding: 'x' }, DEFAULTS, VIEW)).toBe(false);
    for (const change of [{ q: 'a' }, { status: '' }, { sort: 'start' }, { status: 'OK' }]) {
      expect([change, isChanged({ ...shown, ...change }, DEFAULTS, VIEW)]).toEqual([change, true]);
    }
  });

  it('has a place of its own', () => {
    const rest = { is_shared: true, is_own: true, created_by: 1, created_at: '', updated_at: '' };
    expect(placeOf({ ...VIEW, ...rest, name: 'Failures', screen: 'requests' })).toEqual({
      title: 'Failures',
      hint: 'View of Requests',
      path: '/logs?status=ERROR&sort=cost&view=v1',
    });
  });
});
