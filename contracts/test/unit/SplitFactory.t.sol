// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {CloneLib} from "../../src/CloneLib.sol";
import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {SplitFactory} from "../../src/SplitFactory.sol";
import {Bench} from "../mocks/Bench.sol";
import {Vm, vm} from "../mocks/Vm.sol";

contract SplitFactoryTest is Bench {
    function test_addressIsKnownBeforeTheSplitExists() external {
        (address[] memory recipients, uint32[] memory bps) = two(person("a"), person("b"));
        address predicted = factory.predictSplit(recipients, bps, "salt");
        vm.assertEq(predicted.code.length, 0, "nothing there yet");
        vm.expectEmit(address(factory));
        emit SplitFactory.SplitCreated(predicted, "salt");
        vm.assertEq(factory.createSplit(recipients, bps, "salt"), predicted, "created where predicted");
        vm.assertTrue(predicted.code.length > 0, "created");
        vm.assertEq(factory.predictSplit(recipients, bps, "salt"), predicted, "predicted the same afterwards");
    }

    function test_creatingAgainFindsTheSameSplitAndSaysNothing() external {
        (address[] memory recipients, uint32[] memory bps) = two(person("a"), person("b"));
        address split = factory.createSplit(recipients, bps, 0);
        vm.recordLogs();
        vm.assertEq(factory.createSplit(recipients, bps, 0), split, "same split");
        vm.assertEq(vm.getRecordedLogs().length, 0, "no event");
    }

    function test_addressBindsRecipientsSharesOrderAndSalt() external view {
        (address[] memory recipients, uint32[] memory bps) = two(person("a"), person("b"));
        address split = factory.predictSplit(recipients, bps, 0);
        vm.assertTrue(factory.predictSplit(recipients, bps, "other") != split, "salt");
        (bps[0], bps[1]) = (bps[1], bps[0]);
        vm.assertTrue(factory.predictSplit(recipients, bps, 0) != split, "shares");
        (recipients[0], recipients[1]) = (recipients[1], recipients[0]);
        vm.assertTrue(factory.predictSplit(recipients, bps, 0) != split, "order");
        recipients[0] = person("c");
        vm.assertTrue(factory.predictSplit(recipients, bps, 0) != split, "recipients");
    }

    function test_moneySentBeforeTheSplitExistsIsSharedOutByIt() external {
        (address[] memory recipients, uint32[] memory bps) = two(person("a"), person("b"));
        address predicted = factory.predictSplit(recipients, bps, 0);
        give(predicted, 10_000);
        factory.createSplit(recipients, bps, 0);
        MerchantSplit(predicted).distribute(ETH);
        vm.assertEq(recipients[0].balance, 5_001, "part");
    }

    function test_recipientsComeBackAsGiven() external {
        MerchantSplit split = splitOf(person("z"), person("a"), person("m"));
        (address[] memory recipients, uint32[] memory bps) = split.recipients();
        vm.assertEq(recipients.length, 3, "count");
        vm.assertEq(split.payeeCount(), 3, "count");
        vm.assertEq(recipients[0], person("z"), "first");
        vm.assertEq(recipients[1], person("a"), "second");
        vm.assertEq(recipients[2], person("m"), "third");
        vm.assertTrue(bps[0] == 5_000 && bps[1] == 3_000 && bps[2] == 2_000, "shares");
        vm.assertEq(split.factory(), address(factory), "factory");
        vm.assertEq(split.totalShares(), 10_000, "all shares");
    }

    function test_aHundredRecipientsAreTheMost() external {
        MerchantSplit split = MerchantSplit(create(100));
        vm.assertEq(split.payeeCount(), 100, "count");
        give(address(split), 1 ether);
        split.distribute(ETH);
        vm.assertEq(address(split).balance, 0, "paid");
        (address[] memory recipients, uint32[] memory bps) = many(101);
        vm.expectRevert(abi.encodeWithSelector(CloneLib.RecipientCount.selector, 101));
        factory.createSplit(recipients, bps, 0);
    }

    function test_refusesNoRecipient() external {
        vm.expectRevert(abi.encodeWithSelector(CloneLib.RecipientCount.selector, 0));
        factory.createSplit(new address[](0), new uint32[](0), 0);
    }

    function test_refusesListsOfDifferentLength() external {
        (address[] memory recipients,) = two(person("a"), person("b"));
        vm.expectRevert(abi.encodeWithSelector(CloneLib.LengthMismatch.selector, 2, 3));
        factory.createSplit(recipients, new uint32[](3), 0);
    }

    function test_refusesSharesThatDoNotAddUp() external {
        (address[] memory recipients, uint32[] memory bps) = two(person("a"), person("b"));
        for (uint32 total = 9_999; total <= 10_001; total += 2) {
            bps[1] = total - bps[0];
            vm.expectRevert(abi.encodeWithSelector(SplitFactory.SharesMismatch.selector, total));
            factory.createSplit(recipients, bps, 0);
            vm.expectRevert(abi.encodeWithSelector(SplitFactory.SharesMismatch.selector, total));
            factory.predictSplit(recipients, bps, 0);
        }
    }

    function test_refusesTheZeroAddressAnywhere() external {
        for (uint256 i; i < 2; ++i) {
            (address[] memory recipients, uint32[] memory bps) = two(person("a"), person("b"));
            recipients[i] = address(0);
            vm.expectRevert(abi.encodeWithSelector(CloneLib.RecipientZero.selector, i));
            factory.createSplit(recipients, bps, 0);
        }
    }

    function test_refusesAShareOfNothing() external {
        (address[] memory recipients, uint32[] memory bps) = two(person("a"), person("b"));
        (bps[0], bps[1]) = (10_000, 0);
        vm.expectRevert(abi.encodeWithSelector(CloneLib.ShareZero.selector, 1));
        factory.createSplit(recipients, bps, 0);
    }

    function test_refusesARepeatedRecipientInEveryPlace() external {
        for (uint256 i; i < 7; ++i) {
            for (uint256 j; j < i; ++j) {
                for (uint256 order; order < 2; ++order) {
                    (address[] memory recipients, uint32[] memory bps) = many(7);
                    if (order == 1) reverse(recipients);
                    recipients[i] = recipients[j];
                    vm.expectRevert(abi.encodeWithSelector(CloneLib.RecipientRepeated.selector, recipients[j]));
                    factory.createSplit(recipients, bps, 0);
                }
            }
        }
    }

    function test_creationForWantOfGasReverts() external {
        (address[] memory recipients, uint32[] memory bps) = many(50);
        (bool done,) = address(factory).call{gas: 150_000}(
            abi.encodeCall(factory.createSplit, (recipients, bps, 0))
        );
        vm.assertTrue(!done, "too little gas");
        vm.assertEq(factory.predictSplit(recipients, bps, 0).code.length, 0, "nothing half made");
        factory.createSplit(recipients, bps, 0);
    }

    function create(uint256 count) private returns (address) {
        (address[] memory recipients, uint32[] memory bps) = many(count);
        return factory.createSplit(recipients, bps, 0);
    }

    function many(uint256 count) private pure returns (address[] memory recipients, uint32[] memory bps) {
        recipients = new address[](count);
        bps = new uint32[](count);
        uint32 left = 10_000;
        for (uint256 i; i < count; ++i) {
            recipients[i] = address(uint160(0x1000 + i));
            bps[i] = i + 1 == count ? left : uint32(10_000 / count);
            left -= bps[i];
        }
    }

    function reverse(address[] memory list) private pure {
        for (uint256 i; i < list.length / 2; ++i) {
            (list[i], list[list.length - 1 - i]) = (list[list.length - 1 - i], list[i]);
        }
    }
}
