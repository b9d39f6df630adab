// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {CloneLib} from "../../src/CloneLib.sol";
import {PlainReference} from "../mocks/PlainReference.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract CloneLibFuzz is Bench {
    function splitInitCode(address implementation, address[] calldata recipients, uint32[] calldata shares)
        external
        pure
        returns (bytes memory code, uint256 total)
    {
        return CloneLib.splitInitCode(implementation, recipients, shares);
    }

    function testFuzz_codeOfASplitIsWhatThePlainReferenceBuilds(
        address implementation,
        uint256 seed,
        uint256 count
    ) external view {
        (address[] memory recipients, uint32[] memory shares) = list(seed, within(count, 1, 100), type(uint160).max);
        (bytes memory code, uint256 total) = this.splitInitCode(implementation, recipients, shares);
        bytes memory runtime = PlainReference.splitRuntime(implementation, recipients, shares);
        vm.assertEq(code, PlainReference.splitInitCode(runtime), "code");
        uint256 sum;
        for (uint256 i; i < shares.length; ++i) {
            sum += shares[i];
        }
        vm.assertEq(total, sum, "total");
    }

    /// @dev Addresses from 1 to `range` collide often, so that both checks encounter duplicates.
    function testFuzz_repeatedRecipientsAreSeenAsThePlainReferenceSeesThem(uint256 seed, uint8 count, uint16 range)
        external
        view
    {
        (address[] memory recipients, uint32[] memory shares) =
            list(seed, within(count, 2, 20), within(range, 8, 400));
        try this.splitInitCode(address(1), recipients, shares) {
            vm.assertTrue(!PlainReference.hasRepeated(recipients), "repeated and not seen");
        } catch (bytes memory reason) {
            vm.assertTrue(PlainReference.hasRepeated(recipients), "seen and not repeated");
            vm.assertTrue(bytes4(reason) == CloneLib.RecipientRepeated.selector, "for that reason");
        }
    }

    function testFuzz_codeOfADepositIsWhatThePlainReferenceBuilds(address implementation) external pure {
        bytes memory runtime = PlainReference.depositRuntime(implementation);
        bytes memory expected = abi.encodePacked(hex"602a8060093d393df3", runtime);
        vm.assertEq(CloneLib.depositInitCode(implementation), expected, "code");
    }

    function testFuzz_predictsWhatThePlainReferenceDoes(address deployer, bytes32 salt, bytes calldata initCode)
        external
        pure
    {
        address expected = PlainReference.create2Address(deployer, salt, initCode);
        vm.assertEq(CloneLib.predict(deployer, salt, keccak256(initCode)), expected, "address");
    }

    function list(uint256 seed, uint256 count, uint256 range)
        private
        pure
        returns (address[] memory recipients, uint32[] memory shares)
    {
        recipients = new address[](count);
        shares = new uint32[](count);
        for (uint256 i; i < count; ++i) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            recipients[i] = address(uint160(1 + random % range));
            shares[i] = uint32(1 + (random >> 200) % 600);
        }
    }
}
