import { type Condition, readConditions, writeConditions } from './row-look';
import type { SideProps } from './state';

/** Narrows the rows down further; the same condition counts once. */
export function addCondition({ state, set }: SideProps, condition: Condition): void {
  const same = writeConditions([condition]);
  const others = readConditions(state.where).filter((each) => writeConditions([each]) !== same);
  set({ where: writeConditions([...others, condition]), cell: '1.1', to: '' });
}
