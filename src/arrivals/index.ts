export { ArrivalListeners } from './arrival-listeners.js';
export { ARRIVAL_KINDS, type ArrivalKind } from './arrivals.entities.js';
export {
  addArrivedLogs,
  addQuietTraces,
  closeArrivals,
  forgetArrivals,
  forgetOpenTraces,
  noteChangedTraces,
  openArrivals,
  readArrivals,
  type ReadArrival,
} from './arrivals.queries.js';
