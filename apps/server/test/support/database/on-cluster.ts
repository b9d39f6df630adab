/** Whether the tests run on a Citus cluster, whose workers are in `TEST_POSTGRES_WORKERS`. */
export const isOnCluster = (process.env.TEST_POSTGRES_WORKERS ?? '') !== ''
