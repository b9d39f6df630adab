import { startTenancy, testTenancy } from './tenancy/walk.ts'

testTenancy(startTenancy(), (_, tries) => tries)
