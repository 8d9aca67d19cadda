import { defineDomain } from '../platform/domain.js';
import { ArrivalsModule } from './arrivals.module.js';
import { Arrival, ArrivalLog, OpenTrace } from './arrivals.entities.js';

defineDomain('arrivals', {
  holds: 'The order in which request logs and traces arrived, for those who decide about each once',
  uses: [],
  module: () => ArrivalsModule,
  entities: [ArrivalLog, Arrival, OpenTrace],
});
