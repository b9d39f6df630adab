// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {CloneLib} from "../../src/CloneLib.sol";
import {AnyTotalFactory} from "../mocks/AnyTotalFactory.sol";
import {PlainReference} from "../mocks/PlainReference.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract CloneLibTest is Bench {
    function splitInitCode(address implementation, address[] calldata recipients, uint32[] calldata shares)
        external
        pure
        returns (bytes memory code, uint256 total)
    {
        return CloneLib.splitInitCode(implementation, recipients, shares);
    }

    function test_codeOfASplitIsWhatThePlainReferenceBuilds() external view {
        address implementation = person("implementation");
        (address[] memory recipients, uint32[] memory shares) = two(person("a"), person("b"));
        (bytes memory code, uint256 total) = this.splitInitCode(implementation, recipients, shares);
        bytes memory runtime = PlainReference.splitRuntime(implementation, recipients, shares);
        vm.assertEq(code, PlainReference.splitInitCode(runtime), "creation code");
        vm.assertEq(runtime.length, 92 + 2 * 22, "92 bytes and 22 a payee");
        vm.assertEq(total, 10_000, "total");
    }

    function test_creationCodeLeavesExactlyTheRuntimeCode() external {
        (address[] memory recipients, uint32[] memory bps) = two(person("a"), person("b"));
        address split = factory.createSplit(recipients, bps, 0);
        bytes memory expected = PlainReference.splitRuntime(factory.splitImplementation(), recipients, bps);
        vm.assertEq(split.code, expected, "code of the split");
    }

    function test_codeOfADepositIsWhatThePlainReferenceBuilds() external pure {
        address implementation = person("implementation");
        bytes memory runtime = PlainReference.depositRuntime(implementation);
        vm.assertEq(
            CloneLib.depositInitCode(implementation),
            abi.encodePacked(hex"602a8060093d393df3", runtime),
            "creation code"
        );
        vm.assertEq(runtime.length, 42, "42 bytes");
    }

    function test_memoryAfterTheCodeIsFree() external view {
        (address[] memory recipients, uint32[] memory shares) = two(person("a"), person("b"));
        (bytes memory first,) = this.splitInitCode(address(1), recipients, shares);
        bytes memory deposit = CloneLib.depositInitCode(address(2));
        bytes memory other = new bytes(64);
        other[0] = 0xff;
        vm.assertEq(deposit, CloneLib.depositInitCode(address(2)), "not overwritten");
        (bytes memory second,) = this.splitInitCode(address(1), recipients, shares);
        vm.assertEq(first, second, "not overwritten");
    }

    function test_refusesSharesBeyondTwoBytes() external {
        (address[] memory recipients, uint32[] memory shares) = two(person("a"), person("b"));
        (shares[0], shares[1]) = (65_535, 1);
        AnyTotalFactory any = new AnyTotalFactory();
        vm.expectRevert(abi.encodeWithSelector(CloneLib.TotalSharesTooLarge.selector, 65_536));
        any.make(recipients, shares);
        (shares[0], shares[1]) = (type(uint32).max, type(uint32).max);
        vm.expectRevert(abi.encodeWithSelector(CloneLib.TotalSharesTooLarge.selector, 2 * uint256(type(uint32).max)));
        any.make(recipients, shares);
        (shares[0], shares[1]) = (65_534, 1);
        any.make(recipients, shares);
    }
}
