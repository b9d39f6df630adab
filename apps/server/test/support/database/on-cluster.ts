/** Whether the run's PostgreSQL is the coordinator of a cluster, with its workers in `TEST_POSTGRES_WORKERS`. */
export const isOnCluster = (process.env.TEST_POSTGRES_WORKERS ?? '') !== ''
