// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PlainReference} from "../mocks/PlainReference.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract SplitFactoryFuzz is Bench {
    function testFuzz_aSplitStandsWherePredictedWithItsRecipients(uint256 seed, uint256 count, bytes32 salt)
        external
    {
        (address[] memory recipients, uint32[] memory bps) = list(seed, within(count, 1, 100));
        bytes memory runtime = PlainReference.splitRuntime(factory.splitImplementation(), recipients, bps);
        address expected =
            PlainReference.create2Address(address(factory), salt, PlainReference.splitInitCode(runtime));
        vm.assertEq(factory.predictSplit(recipients, bps, salt), expected, "predicted");
        vm.assertEq(factory.createSplit(recipients, bps, salt), expected, "created");
        vm.assertEq(expected.code, runtime, "code");
    }

    function testFuzz_onlySharesOfTenThousandMakeASplit(uint32[] calldata bps) external {
        vm.assume(bps.length > 0 && bps.length <= 100);
        (address[] memory recipients,) = list(1, bps.length);
        uint256 sum;
        bool hasZero;
        for (uint256 i; i < bps.length; ++i) {
            sum += bps[i];
            if (bps[i] == 0) hasZero = true;
        }
        try factory.createSplit(recipients, bps, 0) {
            vm.assertTrue(sum == 10_000 && !hasZero, "made of other shares");
        } catch {
            vm.assertTrue(sum != 10_000 || hasZero, "refused good shares");
        }
    }

    function list(uint256 seed, uint256 count)
        private
        pure
        returns (address[] memory recipients, uint32[] memory bps)
    {
        recipients = new address[](count);
        bps = new uint32[](count);
        uint256 left = 10_000;
        for (uint256 i; i < count; ++i) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            recipients[i] = address(uint160(random));
            uint256 others = count - 1 - i;
            bps[i] = uint32(others == 0 ? left : within(random >> 170, 1, (left - others) / 2 + 1));
            left -= bps[i];
        }
    }
}
