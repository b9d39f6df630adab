// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {SplitRows} from "../../src/SplitRows.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract KeptUnitTest is Bench {
    MerchantSplit private split;
    address private a = person("a");
    address private b = person("b");
    address private c = person("c");

    function setUp() external {
        split = splitOf(a, b, c);
    }

    function test_aTokenThatWouldLeaveNothingLeavesOneUnitOfTheLastPart() external {
        IERC20 token = IERC20(address(usdc));
        usdc.mint(address(split), 1_000);
        vm.expectEmit(address(split));
        emit MerchantSplit.Distributed(address(usdc), 1_000, true);
        split.distribute(address(usdc));
        vm.assertEq(usdc.balanceOf(a) + usdc.balanceOf(b), 800, "the others have all of theirs");
        vm.assertEq(usdc.balanceOf(c), 199, "the last all but one");
        vm.assertEq(split.released(token, c), 199, "released");
        vm.assertEq(split.releasable(token, c), 1, "still due to it");
        vm.assertEq(split.releasable(token, a) + split.releasable(token, b), 0, "and to nobody else");
        vm.assertEq(split.totalReleased(token), 999, "in all");
        vm.recordLogs();
        split.distribute(address(usdc));
        vm.assertEq(vm.getRecordedLogs().length, 0, "no reason to distribute again");

        usdc.mint(address(split), 1_001);
        split.distribute(address(usdc));
        vm.assertEq(usdc.balanceOf(c), 400, "paid by the next that leaves anything else");
        usdc.mint(address(split), 999);
        split.distribute(address(usdc));
        vm.assertEq(usdc.balanceOf(address(split)), 1, "never more than one");
        vm.assertEq(usdc.balanceOf(c), 599, "of the last part");
        split.release(token, c);
        vm.assertEq(usdc.balanceOf(c), 600, "or by its own release");
        vm.assertEq(usdc.balanceOf(address(split)), 0, "which empties the split");
        vm.expectRevert("PaymentSplitter: account is not due payment");
        split.release(token, c);
        vm.recordLogs();
        split.distribute(address(usdc));
        vm.assertEq(vm.getRecordedLogs().length, 0, "and leaves nothing to settle");
    }

    function test_oneUnitAloneIsKeptWithoutAPush() external {
        address[] memory recipients = new address[](1);
        uint32[] memory bps = new uint32[](1);
        (recipients[0], bps[0]) = (b, 10_000);
        MerchantSplit alone = splitOf(recipients, bps);
        usdc.mint(address(alone), 1);
        vm.recordLogs();
        alone.distribute(address(usdc));
        vm.assertEq(vm.getRecordedLogs().length, 1, "Distributed and no transfer of nothing");
        vm.assertEq(usdc.balanceOf(b), 0, "kept");
        vm.assertEq(alone.releasable(IERC20(address(usdc)), b), 1, "due");
        give(address(alone), 1);
        alone.distribute(ETH);
        vm.assertEq(b.balance, 1, "no wei is kept");
    }

    /// @dev a received 188 too many, 187 are held for b, and one unit is dust. So c's part is the whole
    /// remainder.
    function test_noUnitIsKeptWhileOthersHaveTheirPartsOpen() external {
        usdt.mint(address(split), 1_000);
        split.release(IERC20(address(usdt)), a);
        vm.prank(address(split));
        usdt.transfer(person("sink"), 375);
        usdt.setBlocked(b, true);
        vm.expectEmit(address(split));
        emit MerchantSplit.Distributed(address(usdt), 625, false);
        split.distribute(address(usdt));
        vm.assertEq(usdt.balanceOf(c), 125, "all of its part");
        vm.assertEq(split.released(IERC20(address(usdt)), c), 125, "released");
    }

    function test_saysWhereItsCodeStands() external {
        vm.assertEq(split.implementation(), factory.splitImplementation(), "ERC-897");
        vm.assertEq(split.proxyType(), 1, "never another");
    }

    function test_theImplementationIsNoSplit() external {
        MerchantSplit implementation = MerchantSplit(factory.splitImplementation());
        vm.deal(address(this), 5);
        usdc.mint(address(implementation), 5);
        usdc.mint(address(this), 5);
        usdc.approve(address(implementation), 5);
        bytes[] memory calls = new bytes[](9);
        calls[0] = abi.encodeCall(implementation.payToken, (address(usdc), 5, REF));
        calls[1] = abi.encodeCall(implementation.payWithPermit, (address(usdc), 5, REF, 0, 0, 0, 0));
        calls[2] =
            abi.encodeCall(implementation.payWithAuthorization, (address(usdc), b, 5, 0, 1, REF, 0, ""));
        calls[3] = abi.encodeCall(implementation.distribute, (address(usdc)));
        calls[4] = abi.encodeWithSignature("release(address)", b);
        calls[5] = abi.encodeWithSignature("release(address,address)", usdc, b);
        calls[6] = abi.encodeCall(implementation.recipients, ());
        calls[7] = abi.encodeCall(implementation.totalShares, ());
        calls[8] = abi.encodeWithSignature("releasable(address)", b);
        for (uint256 i; i < calls.length; ++i) {
            // A low-level call under `expectRevert` does not return the revert data.
            (bool done, bytes memory answer) = address(implementation).call(calls[i]);
            vm.assertTrue(!done && bytes4(answer) == SplitRows.NotASplit.selector, "refused");
        }
        vm.expectRevert(SplitRows.NotASplit.selector);
        implementation.pay{value: 5}(REF);
        (bool taken,) = address(implementation).call{value: 5}("");
        vm.assertTrue(!taken, "nor does it take plain ETH");
    }
}
