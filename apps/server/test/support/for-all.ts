import fc from 'fast-check'

/** Demands that a check holds for all values of some arbitraries; they come before the check, which is given one of each. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  ...property: [
    ...arbitraries: { [At in keyof Values]: fc.Arbitrary<Values[At]> },
    // biome-ignore lint/suspicious/noConfusingVoidType: as fast-check has it
    check: (...values: Values) => boolean | void,
  ]
): void {
  fc.assert(fc.property(...property))
}
